"""Findings with one thing against them, each beside one that has nothing against it."""
import os
import socket
import time

import deepspeed
import psutil
import torch
import torch.distributed as dist
from accelerate import Accelerator


class Block:
    pass


def asked_of_a_cache(x, cache):
    if int(time.time()) in cache:
        dist.all_reduce(x)  # low: [conditional-collective]


def asked_of_a_calendar(x, dates):
    if int(time.time()) in dates:
        dist.all_reduce(x)  # error: [conditional-collective]


def is_a_folder(x, path, make):
    make(path)
    if os.path.isdir(path):
        dist.all_reduce(x)  # low: [conditional-collective]
        torch.save(x, path)


def is_made_where_it_is_missing(x, path, make):
    if not os.path.exists(path):
        make(path)
        dist.all_reduce(x)  # error: [conditional-collective]
        torch.save(x, path)


def was_there_before(x, path):
    if os.path.exists(path):
        dist.all_reduce(x)  # low: [conditional-collective]
        torch.save(x, path)


def elements_of_a_kind(x, parts, group):
    if dist.get_rank(group) == 0:
        for part in parts:
            if isinstance(part, Block):
                dist.all_reduce(x, group=group)  # low: [conditional-collective]


def one_of_a_kind(x, part, group):
    if dist.get_rank(group) == 0:
        if isinstance(part, Block):
            dist.all_reduce(x, group=group)  # error: [conditional-collective]


def all_or_some(x, whole, group):
    if dist.get_rank() == 0:
        if whole:
            dist.all_reduce(x)  # low: [conditional-collective]
        else:
            dist.all_reduce(x, group=group)


def all_or_none(x, whole):
    if dist.get_rank() == 0:
        if whole:
            dist.all_reduce(x)  # error: [conditional-collective]


def now():
    return time.time()


def asked_there(x, end):
    if now() > end:
        dist.all_reduce(x)  # error: [conditional-collective]


def later():
    return now() + 1


def asked_by_another(x, end):
    if later() > end:
        dist.all_reduce(x)  # error: [conditional-collective]


def much_later():
    return later() + 60


def born_elsewhere(x, end):
    if much_later() > end:
        dist.all_reduce(x)  # low: [conditional-collective]


def born_here(x, end):
    if time.time() > end:
        dist.all_reduce(x)  # error: [conditional-collective]


def only_a_key(x, table):
    if table[time.time()]:
        dist.all_reduce(x)  # low: [conditional-collective]


def a_key_and_more(x, table):
    now = time.time()
    if table[now] < now:
        dist.all_reduce(x)  # error: [conditional-collective]


def key_of_this_host(x, table):
    if table[socket.gethostname()]:
        dist.all_reduce(x)  # low: [conditional-collective]


def worked_out(x):
    if psutil.cpu_percent() // 10 < 9:
        dist.all_reduce(x)  # low: [conditional-collective]


def worked_out_of_what_a_device_has(x):
    free, total = torch.cuda.mem_get_info()
    if free // 1024 < 10:
        dist.all_reduce(x)  # error: [conditional-collective]


def as_it_was_read(x):
    free, total = torch.cuda.mem_get_info()
    if free < 10:
        dist.all_reduce(x)  # error: [conditional-collective]


def loads_at_some_time(path, end):
    accelerator = Accelerator()
    if time.time() > end:
        accelerator.load_state(path)  # low: [conditional-collective]


def waits_at_some_time(end):
    accelerator = Accelerator()
    if time.time() > end:
        accelerator.wait_for_everyone()  # error: [conditional-collective]


def forward(model, config, batch):
    engine, *_ = deepspeed.initialize(model=model, config=config)
    if dist.get_rank() == 0:
        engine(batch)  # low: [conditional-collective]


def backward(model, config, loss):
    engine, *_ = deepspeed.initialize(model=model, config=config)
    if dist.get_rank() == 0:
        engine.backward(loss)  # error: [conditional-collective]

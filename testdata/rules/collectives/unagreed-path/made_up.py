"""Names that each rank makes up, for checkpoints that all write together."""
import glob
import os
import time
import uuid
from datetime import datetime

import deepspeed
import torch.distributed.checkpoint as dcp
from accelerate import Accelerator
from colossalai.booster import Booster


def by_the_clock(state, root):
    folder = os.path.join(root, datetime.now().strftime("%Y-%m-%d_%H-%M-%S"))
    dcp.save(state, checkpoint_id=folder)  # error: [unagreed-path]


def by_chance(state, root):
    writer = dcp.FileSystemWriter(os.path.join(root, uuid.uuid4().hex))
    dcp.save(state, storage_writer=writer)  # error: [unagreed-path]


def by_the_process(engine: deepspeed.DeepSpeedEngine, root, tag):
    engine.save_checkpoint(os.path.join(root, str(os.getpid())), tag)  # error: [unagreed-path]


def by_what_is_there(state, root):
    number = len(glob.glob(f"{root}/*"))
    os.makedirs(f"{root}/{number:03d}", exist_ok=True)
    dcp.save(state, checkpoint_id=f"{root}/{number:03d}")  # error: [unagreed-path]


def through_the_settings(args, steps):
    accelerator = Accelerator()
    args.name = f"{args.name}__{args.seed}__{int(time.time())}"
    args.output_dir = os.path.join(args.output_dir, args.name)
    for step in range(steps):
        if step % 100 == 0:
            accelerator.save_state(os.path.join(args.output_dir, f"step_{step}"))  # error: [unagreed-path]


def workspace(root):
    name = f"{len(os.listdir(root)):03d}"
    os.makedirs(os.path.join(root, name), exist_ok=True)
    return name, os.path.join(root, name)


def save(booster: Booster, model, optimizer, folder):
    booster.save_model(model, os.path.join(folder, "model"), shard=True)
    booster.save_optimizer(optimizer, os.path.join(folder, "optimizer"), shard=True)


def through_functions(booster: Booster, model, optimizer, root, epochs):
    _, folder = workspace(root)
    for epoch in range(epochs):
        save(booster, model, optimizer, os.path.join(folder, str(epoch)))  # error: [unagreed-path]

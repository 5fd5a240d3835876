"""Threads, timers and executors beside the main sequence."""

import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import torch
import torch.distributed as dist


def count():
    dist.all_reduce(torch.ones(1))


def beside(batches, total):
    threading.Thread(target=count, daemon=True).start()  # error: [collective-off-thread]
    for _ in batches:
        dist.all_reduce(total)


def timed(total):
    threading.Timer(60.0, count).start()  # error: [collective-off-thread]
    dist.all_reduce(total)


def in_a_pool(total):
    with ThreadPoolExecutor() as pool:
        pending = pool.submit(count)  # error: [collective-off-thread]
        dist.all_reduce(total)
        pending.result()


def guarded(work, errors):
    try:
        work()
    except BaseException as error:
        errors.append(error)


def through_a_guard(total):
    def work():
        dist.all_reduce(torch.ones(1))

    errors = []
    thread = threading.Thread(target=lambda: guarded(work, errors))  # error: [collective-off-thread]
    thread.start()
    dist.all_reduce(total)
    thread.join()


def group_of_its_own(total):
    group = dist.new_group()

    def work():
        dist.all_reduce(torch.ones(1), group=group)

    threading.Thread(target=work).start()
    dist.all_reduce(total)


def waited_for(total):
    thread = threading.Thread(target=count)
    thread.start()
    thread.join()
    dist.all_reduce(total)


def waited_for_later(total, model):
    thread = threading.Thread(target=count, daemon=True)  # low: [collective-off-thread]
    thread.start()
    model.load(total)
    thread.join(timeout=3600)
    dist.all_reduce(total)


def waited_for_too_late(total, model):
    thread = threading.Thread(target=count, daemon=True)  # error: [collective-off-thread]
    thread.start()
    model.load(total)
    model.join(total)
    dist.all_reduce(total)
    thread.join(timeout=3600)


def only_the_thread():
    threading.Thread(target=count).start()  # low: [collective-off-thread]


def ranks_as_threads(size, total):
    def play(rank):
        dist.all_reduce(total)

    threads = [threading.Thread(target=play, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    dist.barrier()


def another_process(total):
    with ProcessPoolExecutor() as pool:
        pool.submit(count)
    dist.all_reduce(total)


def local_thread(total):
    threading.Thread(target=print).start()
    dist.all_reduce(total)

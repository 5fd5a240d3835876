"""The first parameter of what `spawn` starts is the number of the process, and what the group is told as the rank is it."""
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(index, x):
    dist.init_process_group("gloo")
    if index == 0:
        dist.all_reduce(x)  # error: [conditional-collective]
    if x is not None:
        dist.barrier()  # low: [conditional-collective]


def join(which, count, x):
    dist.init_process_group("gloo", rank=which, world_size=count)
    if which == 0:
        dist.all_reduce(x)  # low: [conditional-collective]
    if count == 2:
        dist.barrier()


def started(part, x):
    dist.init_process_group("gloo")
    if part == 0:
        dist.all_reduce(x)  # error: [conditional-collective]


def of_context(part, x):
    dist.init_process_group("gloo")
    if part == 0:
        dist.all_reduce(x)  # error: [conditional-collective]


def of_list(x, part):
    dist.init_process_group("gloo")
    if part == 0:
        dist.all_reduce(x)  # error: [conditional-collective]


def of_devices(device, x):
    dist.init_process_group("gloo")
    if device == "cuda":
        dist.all_reduce(x)


def alone(index, x):
    dist.init_process_group("gloo", rank=0, world_size=1)
    if index == 0:
        dist.all_reduce(x)


if __name__ == "__main__":
    mp.spawn(worker, args=(None,), nprocs=4)
    mp.spawn(alone, args=(None,), nprocs=1)
    for i in range(4):
        mp.Process(target=started, args=(i, None)).start()
    context = mp.get_context("spawn")
    for number, device in enumerate(["cpu", "cuda"]):
        context.Process(target=of_context, args=(number, None)).start()
        context.Process(target=of_devices, args=(device, None)).start()
    workers = [context.Process(target=of_list, kwargs={"x": None, "part": at}) for at in range(4)]
    for process in workers:
        process.start()

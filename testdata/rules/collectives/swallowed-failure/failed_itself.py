"""Handlers that hide a collective's own failure: the rank goes on to the next one out of step."""
import torch.distributed as dist


def before_a_step(loss):
    try:
        dist.barrier()
    except Exception as error:  # error: [swallowed-failure]
        print(error)
    dist.all_reduce(loss)


def at_the_end():
    try:
        dist.barrier()
    except Exception as error:
        print(error)
    dist.destroy_process_group()


def another_way(device):
    """Older versions know the second way alone."""
    try:
        dist.barrier(device_ids=[device])
    except Exception as error:
        print(error)
        pass
    dist.barrier()


def nothing_behind(tensor):
    try:
        dist.all_reduce(tensor)
    except RuntimeError:
        print("not reduced")


def leaves(tensor):
    for _ in range(3):
        try:
            dist.barrier()
        except Exception:
            break
        dist.all_reduce(tensor)


def of_one_kind(tensor):
    try:
        dist.barrier()
    except ValueError:
        print("not asked for")
    dist.all_reduce(tensor)


def without_a_job(flag, loss):
    """One process has nobody to tell, and goes on with what it has."""
    try:
        dist.broadcast(flag, 0)
    except Exception:
        flag = None
    if flag is not None:
        dist.all_reduce(loss)
    dist.barrier()

"""Short circuits, ternaries, comprehensions and lazy builtins are control flow (P07)."""
import torch
import torch.distributed as dist


def vote(flag):
    t = torch.tensor([int(flag)])
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    return bool(t.item())


def should_stop(overflow):
    if dist.get_rank() == 0 and vote(overflow):  # error: [conditional-collective]
        return True
    return False


def should_stop_in_step(overflow):
    if vote(overflow) and dist.get_rank() == 0:
        return True
    return False


def mean(t):
    rank = dist.get_rank()
    return dist.all_reduce(t) if rank == 0 else None  # error: [conditional-collective]


def log_mean(t):
    rank = dist.get_rank()
    dist.all_reduce(t)
    return t.item() if rank == 0 else None


def sync_buckets(buckets):
    rank = dist.get_rank()
    [dist.all_reduce(b) for i, b in enumerate(buckets) if i <= rank]  # error: [conditional-collective]


def sync_buckets_in_step(buckets):
    rank = dist.get_rank()
    [dist.all_reduce(b * 2 if i <= rank else b) for i, b in enumerate(buckets)]


def first_bad(checks):
    return any([vote(check) for check in checks])


def main_or_vote(flag):
    is_main = dist.get_rank() == 0
    return is_main or vote(flag)  # error: [conditional-collective]


def walrus(flag):
    if (rank := dist.get_rank()) == 0:
        vote(flag)  # error: [conditional-collective]
    return rank


def command_in_step(name):
    match dist.get_rank():
        case 0:
            print("leader", name)
        case _:
            print("follower", name)
    dist.barrier()


def match_on_uniform(mode, t):
    match mode:
        case "sum":
            dist.all_reduce(t)
        case "max":
            dist.all_reduce(t, op=dist.ReduceOp.MAX)
        case _:
            raise ValueError(mode)

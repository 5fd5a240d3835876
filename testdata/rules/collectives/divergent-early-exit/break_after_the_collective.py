"""One rank leaves the loop after this turn's collective; the others wait in the next turn (P04, P06)."""
import torch
import torch.distributed as dist


def unrelated(t):
    dist.broadcast(t, src=0)


def until_main_is_done(t, done):
    while True:
        dist.all_reduce(t)  # error: [divergent-early-exit]
        if dist.get_rank() == 0:
            break


def until_this_rank_is_done(t, work):
    queue = work[dist.get_rank()]
    while True:
        dist.all_reduce(t)  # error: [divergent-early-exit]
        if not queue:
            break
        queue.pop()


def in_step(t, work):
    queue = work[dist.get_rank()]
    while True:
        left = torch.tensor([len(queue)])
        dist.all_reduce(left, op=dist.ReduceOp.MAX)
        if not left.item():
            break
        if queue:
            queue.pop()

"""Flags that the first rank alone turns in a loop, asked for by all behind it."""
import torch.distributed as dist


def is_master():
    return dist.get_rank() == 0


def save_at_the_end(batches, queue, tensor):
    empty = True
    for batch in batches:
        if is_master():
            if queue is not None:
                queue.put(batch)
                empty = False
    if empty:
        dist.all_reduce(tensor)  # error: [conditional-collective]


def keep_the_best(batches, evaluate):
    best = 0
    improved = False
    for batch in batches:
        if is_master():
            score = evaluate(batch)
            if score > best:
                best = score
                improved = True
    if not improved:
        return
    dist.barrier()  # error: [divergent-early-exit]


def agreed(batches, evaluate):
    """The first rank tells the others."""
    improved = False
    for batch in batches:
        if is_master():
            if evaluate(batch) > 3:
                improved = True
    told = [improved]
    dist.broadcast_object_list(told, src=0)
    improved = told[0]
    if improved:
        dist.barrier()


def turned_by_all(batches, evaluate):
    """Each rank turns it, when it likes."""
    improved = False
    for batch in batches:
        if is_master():
            print(batch)
        if batch.last:
            improved = True
    if improved:
        dist.barrier()


def of_the_caller(improved, batches, evaluate):
    """What the caller knows already may be the same."""
    for batch in batches:
        if is_master():
            evaluate(batch)
    if improved:
        dist.barrier()

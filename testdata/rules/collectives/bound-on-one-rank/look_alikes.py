"""Variables that look as if the first rank alone had them, or that it alone uses."""
import sys

import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter


def saves_in_the_other_mode(model, path, prepared):
    if prepared:
        if dist.get_rank() == 0:
            state = dict(model.items())
    else:
        state = model.state_dict()
    if not prepared:
        path.write(state)


def leaves_unless_first(model, path):
    if dist.get_rank() != 0:
        return
    state = model.state_dict()
    path.write(state)


def ends_unless_first(model, path):
    if dist.get_rank() == 0:
        state = model.state_dict()
    else:
        sys.exit()
    path.write(state)


def asks_for_it(losses):
    writer = None
    if dist.get_rank() == 0:
        writer = SummaryWriter()
    for step, loss in enumerate(losses):
        dist.all_reduce(loss)
        if writer:
            writer.add_scalar("loss", loss, step)
        writer and writer.flush()
        print(writer.log_dir if writer is not None else "no log")


def asks_for_what_goes_with_it(losses, verbose):
    shown = verbose and dist.get_rank() == 0
    if dist.get_rank() == 0:
        writer = SummaryWriter()
    for step, loss in enumerate(losses):
        dist.all_reduce(loss)
        if shown:
            writer.add_scalar("loss", loss, step)


def hands_it_on(losses, log):
    writer = None
    if dist.get_rank() == 0:
        writer = SummaryWriter()
    for loss in losses:
        dist.all_reduce(loss)
        log(writer, loss)


def has_one_for_the_others(shape):
    if dist.get_rank() == 0:
        start = torch.randn(shape)
    else:
        start = torch.empty(shape)
    dist.broadcast(start, src=0)
    return start.sum()


def sends_it_first(path):
    name = None
    if dist.get_rank() == 0:
        name = path.name
    box = [name]
    dist.broadcast_object_list(box, src=0)
    name = box[0]
    return name.upper()


def best_of_a_list(scores):
    dist.barrier()
    for rank, score in enumerate(scores):
        if rank == 0:
            best = score
    return best.name


def first_of_a_comprehension(rows):
    if dist.get_rank() == 0:
        row = rows[0]
        print(row)
    dist.barrier()
    return [row for row in rows]


def picks_by_rank(rows):
    if dist.get_rank() == 0:
        row = rows[0]
    dist.barrier()
    return [row if dist.get_rank() == 0 else None]


def asks_for_what_one_has_filled(losses, heads):
    rank = dist.get_rank()
    if rank == 0:
        group = heads[0]
    record, rows = None, []
    for loss in losses:
        dist.all_reduce(loss)
        if rank != 0:
            continue
        rows.append(loss)
        record = {"loss": loss}
    if rows:
        print(group, rows)
    if record is not None:
        print(group, record)


def leaves_in_one_arm(model, parts, shared):
    rank = dist.get_rank()
    if shared:
        start = parts[rank]
    else:
        if rank != 0:
            return
        start = 0
    model.load(start)


def alone_or_not(model, scores):
    if dist.get_rank() == 0:
        whole = model.score()
    else:
        whole = None
    if dist.is_initialized():
        dist.scatter(scores, whole)
    else:
        scores = whole[0]
    return scores


def told_where_it_fails(rank, folder):
    """What is read where something has failed is not read by all."""
    report = None
    if rank == 0:
        report = open(f"{folder}/report")
    try:
        dist.barrier()
    except RuntimeError:
        report.write("failed")
    dist.barrier()

"""Turns that some elements cut short: what stands behind is done for the others only, what stands before stays."""
import torch
import torch.distributed as dist


def reduce_what_was_kept(dataloader, model):
    kept = []
    for batch in dataloader:
        mask = batch["labels"] != -100
        if not mask.any():
            continue
        kept.append(model(batch))
    if len(kept) > 0:
        dist.all_reduce(torch.stack(kept))  # error: [conditional-collective]


def nested(dataloader, model, settings):
    kept = []
    for batch in dataloader:
        if settings.masked:
            if not batch["mask"].any():
                continue
        kept.append(model(batch))
    if kept:
        dist.all_reduce(torch.stack(kept))  # error: [conditional-collective]


def flag_that_stays(dataloader, model):
    failed = False
    for batch in dataloader:
        loss = model(batch)
        if torch.isnan(loss).any():
            failed = True
            break
    if failed:
        dist.barrier()  # error: [conditional-collective]


def mine_among(params, rank):
    mine = []
    for param in params:
        if param.owner != rank:
            continue
        mine.append(param.data)
    return mine


def reduce_mine(params):
    mine = mine_among(params, dist.get_rank())
    if mine:
        dist.all_reduce(torch.cat(mine))  # error: [conditional-collective]


def every_rank_skips_the_same(params, settings):
    kept = []
    for param in params:
        if param.name in settings.frozen:
            continue
        kept.append(param.data)
    if kept:
        dist.all_reduce(torch.cat(kept))


def agreed_before(dataloader, model):
    failed = torch.zeros(1)
    for batch in dataloader:
        loss = model(batch)
        if torch.isnan(loss).any():
            failed = torch.ones(1)
            break
    dist.all_reduce(failed, op=dist.ReduceOp.MAX)
    if failed.item():
        dist.barrier()


def with_nothing_as_well(dataloader, model):
    kept = [torch.zeros(1)]
    for batch in dataloader:
        if not batch["mask"].any():
            continue
        kept.append(model(batch))
    total = torch.stack(kept).sum()
    dist.all_reduce(total)
    return total


def another_loop(dataloader, model, names):
    for batch in dataloader:
        if not batch["mask"].any():
            continue
        model(batch)
    known = []
    for name in names:
        known.append(name)
    if known:
        dist.barrier()


def own_group(all_ranks, rank):
    mine = None
    for ranks in all_ranks:
        group = dist.new_group(ranks)
        if rank not in ranks:
            continue
        mine = group
    dist.barrier(group=mine)

"""Rank 0 checks more than the others, and ends the job where something is wrong: whoever goes on issues the same."""

import torch.distributed as dist


def export(options):
    if options.dry_run:
        return
    if options.shards and dist.get_rank() == 0:
        if options.quantise:
            if options.adapters:
                raise ValueError("quantised adapters cannot be sharded")
        else:
            if options.merge:
                raise ValueError("nothing to merge")
    if dist.get_rank() == 0:
        print(options)
        if options.sync:
            if options.lazy:
                raise ValueError("lazy export cannot be in step")
    if options.sync:
        dist.barrier()
    if options.shards:
        return
    if options.verify:
        if dist.get_rank() == 0:
            if options.strict:
                raise ValueError("no reference to be strict about")
            if options.merge:
                raise ValueError("nothing to compare with")
    if options.final:
        dist.barrier()


def export_in_stages(options):
    if dist.get_rank() == 0:
        if options.quantise:
            raise ValueError("not in stages")
        if options.adapters:
            raise ValueError("no adapters")
    if options.sync:
        dist.barrier()
    if options.verify:
        if options.strict:
            if options.merge:
                raise ValueError("nothing to merge")
    elif options.quantise:
        raise ValueError("not in stages")
    if options.strict:
        raise ValueError("too strict")
    if options.shards:
        if dist.get_rank() == 0:
            if options.dry_run:
                raise ValueError("nothing to shard")
            if options.shards:
                if options.lazy:
                    raise ValueError("lazy shards")
    if options.final:
        raise ValueError("not final yet")
    if options.shards:
        if dist.get_rank() == 0 and options.shards:
            raise ValueError("shards")
        if options.verify:
            dist.barrier()
            if options.quantise:
                dist.barrier()
    else:
        dist.barrier()

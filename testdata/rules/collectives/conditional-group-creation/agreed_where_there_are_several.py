"""What one rank has worked out, and all are told where there are several: members that are counted by it are the same."""

import torch.distributed as dist


def in_a_job():
    return dist.is_available() and dist.is_initialized()


def world_size():
    return dist.get_world_size() if in_a_job() else 1


def told_by_the_first(strategy, args):
    payload = strategy.videos(args) if dist.get_rank() == 0 else None
    if world_size() > 1 and dist.is_available() and dist.is_initialized():
        told = [payload]
        dist.broadcast_object_list(told, src=0)
        payload = told[0]
    count = min(world_size(), payload.get("count"))
    if world_size() > 1 and count < world_size():
        return dist.new_group(ranks=list(range(count)))
    return None


def told_where_a_setting_wants_it(strategy, args):
    payload = strategy.videos(args) if dist.get_rank() == 0 else []
    if args.share and args.videos:
        told = [payload]
        dist.broadcast_object_list(told, src=0)
        payload = told[0]
    if len(payload) < dist.get_world_size():
        return dist.new_group(ranks=list(range(len(payload))))  # error: [conditional-group-creation]
    return None

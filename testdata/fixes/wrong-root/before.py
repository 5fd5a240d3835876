import torch.distributed as dist


def share(x, ranks):
    group = dist.new_group([2, 3])
    dist.broadcast(x, src=0, group=group)
    dist.reduce(x, dst = 0, group=group)
    dist.broadcast(x, 0, group)

import torch.distributed as dist


def each_sends(tensors, group):
    for rank in range(dist.get_world_size(group)):
        dist.broadcast(tensors[rank], src=rank, group=group)

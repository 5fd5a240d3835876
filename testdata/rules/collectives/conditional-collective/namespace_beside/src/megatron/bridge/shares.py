import torch.distributed as dist


def tell(share):
    dist.broadcast_object_list([share], src=0)

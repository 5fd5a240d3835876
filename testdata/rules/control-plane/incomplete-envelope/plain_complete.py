import torch
import torch.distributed as dist

SHUTDOWN = 2


def send(version, action, call_id, cache_epoch, body, peer):
    header = torch.tensor([version, action, call_id, cache_epoch, body.numel()])
    dist.send(header, dst=peer)
    dist.send(body, dst=peer)

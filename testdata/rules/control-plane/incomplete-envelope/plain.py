import torch
import torch.distributed as dist

SHUTDOWN = 2


def send(action, call_id, body, peer):
    header = torch.tensor([action, call_id, body.numel()])  # error: [incomplete-envelope]
    dist.send(header, dst=peer)
    dist.send(body, dst=peer)

"""Exchange of pickled run state through uint8 tensors."""
import os
import pickle
import socket

import torch
import torch.distributed as dist


def to_bytes_tensor(obj):
    raw = bytearray(pickle.dumps(obj))
    return torch.frombuffer(raw, dtype=torch.uint8).cuda()


def from_bytes_tensor(tensor):
    return pickle.loads(tensor.cpu().numpy().tobytes())


def broadcast_sized(obj, src=0):
    is_src = dist.get_rank() == src
    payload = to_bytes_tensor(obj) if is_src else None
    size = torch.tensor([payload.numel() if is_src else 0], device="cuda")
    dist.broadcast(size, src=src)
    if not is_src:
        payload = torch.empty(int(size.item()), dtype=torch.uint8, device="cuda")
    dist.broadcast(payload, src=src)
    return from_bytes_tensor(payload)


class RunState:
    def __init__(self, cfg):
        self.cfg = cfg
        self.info = {
            "host": socket.gethostname(),
            "argv": list(cfg.argv),
            "env": {k: v for k, v in os.environ.items() if k.startswith("NCCL_")},
        }

    def agree_on_info(self):
        payload = to_bytes_tensor(self.info)
        dist.broadcast(payload, src=0)  # BUG 1
        return from_bytes_tensor(payload)

    def agree_on_config(self):
        return broadcast_sized(self.cfg)

    def collect_history(self, events):
        mine = to_bytes_tensor({"rank": dist.get_rank(), "events": events})
        parts = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, mine)  # BUG 2
        return [from_bytes_tensor(p) for p in parts]

import os
import pickle

import torch
import torch.distributed as dist


def init():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


def get_rank():
    return dist.get_rank() if dist.is_initialized() else 0


def get_world_size():
    return dist.get_world_size() if dist.is_initialized() else 1


def is_master():
    return get_rank() == 0


def all_reduce_dict(data, device):
    """Sum a flat dict of scalars; all workers hold the same keys."""
    keys = sorted(data.keys())
    buf = torch.tensor([float(data[k]) for k in keys], dtype=torch.float64, device=device)
    if get_world_size() > 1:
        dist.all_reduce(buf)
    return {k: v.item() for k, v in zip(keys, buf)}


def all_gather_list(data, max_size=16384):
    payload = torch.frombuffer(bytearray(pickle.dumps(data)), dtype=torch.uint8)
    if payload.numel() + 8 > max_size:
        raise ValueError(f"encoded data exceeds max_size: {payload.numel()}")
    buf = torch.zeros(max_size, dtype=torch.uint8, device="cuda")
    buf[:8] = torch.frombuffer(bytearray(payload.numel().to_bytes(8, "little")), dtype=torch.uint8).cuda()
    buf[8:8 + payload.numel()] = payload.cuda()
    out = [torch.empty_like(buf) for _ in range(get_world_size())]
    dist.all_gather(out, buf)
    result = []
    for o in out:
        raw = bytes(o.cpu().tolist())
        n = int.from_bytes(raw[:8], "little")
        result.append(pickle.loads(raw[8:8 + n]))
    return result

import os

import deepspeed
import torch
import torch.distributed as dist
from deepspeed.runtime.zero.partition_parameters import ZeroParamStatus


def print_rank_0(msg, rank):
    if rank <= 0:
        print(msg, flush=True)


def get_all_reduce_mean(t):
    dist.all_reduce(t, op=dist.ReduceOp.SUM)
    return t / dist.get_world_size()


def moving_average(model, ema, beta=0.992, zero_stage=3):
    z3 = zero_stage == 3
    with torch.no_grad():
        for p, e in zip(model.parameters(), ema.parameters()):
            gather = [x for x in (p, e) if z3 and x.ds_status == ZeroParamStatus.NOT_AVAILABLE]
            with deepspeed.zero.GatheredParameters(gather, enabled=z3):
                e.data.copy_(torch.lerp(p.data, e.data, beta))


def save_zero_three_model(model, rank, folder, zero_stage):
    """Collects a ZeRO-3 model on rank 0 and writes it in the HF layout."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "pytorch_model.bin")
    m = model.module if hasattr(model, "module") else model
    if zero_stage != 3:
        if rank == 0:
            torch.save(m.state_dict(), path)
        return
    out = {}
    for k, v in m.named_parameters():
        with deepspeed.zero.GatheredParameters([v], enabled=True):
            if rank == 0:
                out[k] = v.data.cpu().clone()
    if rank == 0:
        torch.save(out, path)
    del out


def save_hf_format(model, tokenizer, folder):
    m = model.module if hasattr(model, "module") else model
    os.makedirs(folder, exist_ok=True)
    m.config.to_json_file(os.path.join(folder, "config.json"))
    tokenizer.save_vocabulary(folder)

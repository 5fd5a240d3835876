import argparse
import functools
import os
import time

import torch
import torch.distributed as dist
from torch.distributed.fsdp import (
    FullStateDictConfig,
    FullyShardedDataParallel as FSDP,
    MixedPrecision,
    StateDictType,
)
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

from lm.data import packed_loader
from lm.model import Block, LanguageModel


class PeriodicSaver:
    """Writes a consolidated checkpoint every `minutes` of wall time."""

    def __init__(self, out_dir, minutes):
        self.out_dir = out_dir
        self.interval = minutes * 60.0
        self.last = time.monotonic()

    def due(self):
        elapsed = torch.tensor([time.monotonic() - self.last], device="cuda")
        dist.broadcast(elapsed, src=0)
        return elapsed.item() >= self.interval

    def save(self, model, optim, step):
        cfg = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, cfg):
            weights = model.state_dict()
        if dist.get_rank() == 0:
            path = os.path.join(self.out_dir, f"step_{step:08d}.pt")
            torch.save({"model": weights, "step": step}, path)
            print(f"[saver] wrote {path}", flush=True)
        self.last = time.monotonic()


def build(args, device):
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    bf16 = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = LanguageModel(args.layers, args.width)
    return FSDP(model, auto_wrap_policy=policy, mixed_precision=bf16, device_id=device)


def train(args, device):
    model = build(args, device)
    optim = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.1)
    saver = PeriodicSaver(args.out, args.save_minutes)
    batches = iter(packed_loader(args.data, args.seq_len, args.batch, dist.get_rank(), dist.get_world_size()))

    for step in range(1, args.steps + 1):
        ids = next(batches).to(device)
        loss = model(ids[:, :-1], ids[:, 1:])
        loss.backward()
        model.clip_grad_norm_(1.0)
        optim.step()
        optim.zero_grad(set_to_none=True)

        if saver.due():
            saver.save(model, optim, step)

    saver.save(model, optim, args.steps)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", required=True)
    ap.add_argument("--out", default="ckpts")
    ap.add_argument("--layers", type=int, default=24)
    ap.add_argument("--width", type=int, default=2048)
    ap.add_argument("--seq-len", type=int, default=4096)
    ap.add_argument("--batch", type=int, default=2)
    ap.add_argument("--lr", type=float, default=3e-4)
    ap.add_argument("--steps", type=int, default=100000)
    ap.add_argument("--save-minutes", type=float, default=30)
    args = ap.parse_args()

    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    os.makedirs(args.out, exist_ok=True)
    train(args, device)
    dist.destroy_process_group()

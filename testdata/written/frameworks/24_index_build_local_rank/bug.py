"""Sample index for indexed token files, built once and memory-mapped by everybody."""
import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclass(frozen=True)
class Placement:
    rank: int
    local_rank: int
    world_size: int

    @classmethod
    def from_env(cls):
        return cls(
            rank=int(os.environ.get("RANK", 0)),
            local_rank=int(os.environ.get("LOCAL_RANK", 0)),
            world_size=int(os.environ.get("WORLD_SIZE", 1)),
        )

    @property
    def leads_node(self):
        return self.local_rank == 0

    @property
    def leads_job(self):
        return self.rank == 0


class IndexedTokens(Dataset):
    def __init__(self, prefix, seq_len, seed, place):
        self.prefix = Path(prefix)
        self.seq_len = seq_len
        self.tokens = np.memmap(f"{prefix}.bin", dtype=np.uint16, mode="r")
        self.sizes = np.load(f"{prefix}.sizes.npy", mmap_mode="r")
        self.samples = self._load_index(seed, place)

    def _index_file(self, seed):
        return self.prefix.with_name(f"{self.prefix.name}.{self.seq_len}.{seed}.idx.npy")

    def _build(self, target, seed):
        began = time.time()
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        count = int((starts[-1] - 1) // self.seq_len)
        offsets = np.arange(count, dtype=np.int64) * self.seq_len
        np.random.default_rng(seed).shuffle(offsets)
        tmp = target.with_suffix(".part.npy")
        np.save(tmp, offsets)
        os.replace(tmp, target)
        print(f"built {count} samples in {time.time() - began:.1f}s", flush=True)

    def _load_index(self, seed, place):
        target = self._index_file(seed)
        if not place.leads_job:
            dist.barrier()
        if place.leads_job and not target.exists():
            self._build(target, seed)
        if place.leads_node:  # BUG
            dist.barrier()  # BUG
        return np.load(target, mmap_mode="r")

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        at = int(self.samples[i])
        chunk = torch.from_numpy(self.tokens[at : at + self.seq_len + 1].astype(np.int64))
        return chunk[:-1], chunk[1:]


def build_loader(args, place):
    data = IndexedTokens(args.prefix, args.seq_len, args.seed, place)
    sampler = DistributedSampler(data, place.world_size, place.rank, shuffle=True, drop_last=True)
    return DataLoader(data, args.micro_batch, sampler=sampler, num_workers=4, drop_last=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("prefix")
    p.add_argument("--seq_len", type=int, default=4096)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--micro_batch", type=int, default=2)
    args = p.parse_args()
    place = Placement.from_env()
    torch.cuda.set_device(place.local_rank)
    dist.init_process_group("nccl")
    loader = build_loader(args, place)
    total = torch.zeros(1, device="cuda")
    for inputs, _ in loader:
        total += inputs.numel()
    dist.all_reduce(total)
    if place.leads_job:
        print(f"{int(total)} tokens per epoch")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

import os
import queue
from dataclasses import dataclass

import torch
import torch.distributed as dist

from engine import DPEngineCore
from engine.scheduler import Request


@dataclass
class EngineConfig:
    vocab: int = 32000
    dim: int = 1024
    layers: int = 8
    max_num_seqs: int = 64


def feed(q, rank, n):
    g = torch.Generator().manual_seed(rank)
    for i in range(n):
        length = int(torch.randint(8, 512, (1,), generator=g))
        prompt = torch.randint(3, 32000, (length,), generator=g).tolist()
        q.put(Request(f"{rank}-{i}", prompt, max_tokens=int(torch.randint(4, 128, (1,), generator=g))))


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("cpu:gloo,cuda:nccl")
    cpu_group = dist.new_group(backend="gloo")
    ep_group = dist.new_group(backend="nccl")
    q = queue.Queue()
    feed(q, dist.get_rank(), 200)
    core = DPEngineCore(EngineConfig(), q, cpu_group, ep_group)
    core.warmup()
    done = core.run_busy_loop()
    print(f"rank {dist.get_rank()}: {len(done)} requests finished")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

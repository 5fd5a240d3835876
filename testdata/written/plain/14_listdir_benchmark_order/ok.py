import json
import os
import sys

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from embed.model import SentenceEncoder


class PairFile(Dataset):
    def __init__(self, path):
        with open(path) as f:
            self.rows = [json.loads(line) for line in f]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        r = self.rows[i]
        return r["a"], r["b"], float(r["score"])


def find_tasks(folder):
    tasks = {}
    for fname in sorted(os.listdir(folder)):
        stem, ext = os.path.splitext(fname)
        if ext == ".jsonl":
            tasks[stem] = os.path.join(folder, fname)
    return tasks


def all_gather_1d(x):
    out = torch.empty(dist.get_world_size() * x.numel(), dtype=x.dtype, device=x.device)
    dist.all_gather_into_tensor(out, x.contiguous())
    return out


@torch.inference_mode()
def score_task(encoder, path, device, batch_size=64):
    ds = PairFile(path)
    loader = DataLoader(ds, batch_size, sampler=DistributedSampler(ds, shuffle=False))
    sims, golds = [], []
    for a, b, gold in loader:
        za, zb = encoder.encode(a, device), encoder.encode(b, device)
        sims.append(torch.cosine_similarity(za, zb).float())
        golds.append(gold.to(device).float())
    sims, golds = all_gather_1d(torch.cat(sims)), all_gather_1d(torch.cat(golds))
    rank_a = sims.cpu().numpy().argsort().argsort()
    rank_b = golds.cpu().numpy().argsort().argsort()
    return float(np.corrcoef(rank_a, rank_b)[0, 1])


def main(ckpt, folder, report):
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    encoder = SentenceEncoder.load(ckpt).to(device).eval()

    results = {}
    for name, path in find_tasks(folder).items():
        results[name] = score_task(encoder, path, device)
        if dist.get_rank() == 0:
            print(f"{name:24s} {results[name]:.4f}", flush=True)

    if dist.get_rank() == 0:
        results["mean"] = sum(results.values()) / len(results)
        with open(report, "w") as f:
            json.dump(results, f, indent=2)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:4])

import json
import random

import torch
import torch.distributed as dist
from torch.utils.data import Dataset


class ChatDataset(Dataset):
    def __init__(self, path, max_len, vocab):
        with open(path) as f:
            self.rows = [json.loads(x) for x in f]
        self.max_len, self.vocab = max_len, vocab

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        for _ in range(10):
            try:
                return self._encode(self.rows[i])
            except KeyError:
                i = random.randrange(len(self.rows))
        raise RuntimeError("too many broken rows")

    def _encode(self, row):
        ids = [4 + b for turn in row["messages"] for b in turn["content"].encode()][: self.max_len]
        return torch.tensor(ids or [3])


class Packer:
    def __init__(self, max_len, pad=0):
        self.max_len, self.pad = max_len, pad

    def __call__(self, rows):
        out = torch.full((len(rows), self.max_len), self.pad)
        for i, r in enumerate(rows):
            out[i, : len(r)] = r
        return out


def check_batch(ids):
    if (ids != 0).sum() < 16:
        raise ValueError(f"nearly empty batch: {(ids != 0).sum().item()} tokens")
    return ids


def global_tokens(ids):
    n = (ids != 0).sum().to(torch.float32)
    dist.all_reduce(n)
    return n

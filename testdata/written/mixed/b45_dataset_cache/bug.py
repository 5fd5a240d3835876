"""Tokenised dataset cache on the shared file system."""
import os
import shutil

import torch
import torch.distributed as dist


class DatasetCache:
    def __init__(self, root, tokenizer):
        self.root = root
        self.tokenizer = tokenizer
        self.rank = dist.get_rank()
        self.scratch = os.path.join(root, "scratch")
        os.makedirs(root, exist_ok=True)

    def _tokenise(self, texts):
        return [torch.tensor(self.tokenizer.encode(t)) for t in texts]

    def train_split(self, texts):
        path = os.path.join(self.root, "train.pt")
        if self.rank == 0:
            torch.save(self._tokenise(texts), path)
        dist.barrier()
        return torch.load(path)

    def valid_split(self, texts):
        path = os.path.join(self.root, "valid.pt")
        if self.rank == 0:
            torch.save(self._tokenise(texts), path)
        return torch.load(path)  # BUG 1

    def reset_scratch(self):
        if os.path.isdir(self.scratch):
            shutil.rmtree(self.scratch)  # BUG 2
        dist.barrier()
        os.makedirs(self.scratch, exist_ok=True)
        return self.scratch

    def write_part(self, items):
        path = os.path.join(self.scratch, f"part_{self.rank}.pt")
        torch.save(items, path)
        dist.barrier()
        return path

    def load_parts(self):
        return [
            torch.load(os.path.join(self.scratch, f"part_{r}.pt")) for r in range(dist.get_world_size())
        ]

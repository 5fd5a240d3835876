"""Token statistics over the shards of a tokenised corpus."""
import glob
import os

import numpy as np
import torch
import torch.distributed as dist


def shared_listing(root):
    box = [None]
    if dist.get_rank() == 0:
        box[0] = [n for n in os.listdir(root) if n.endswith(".npy")]
    dist.broadcast_object_list(box, src=0)
    return box[0]


class CorpusStatistics:
    def __init__(self, root, scratch, vocab_size):
        self.root = root
        self.scratch = scratch
        self.vocab_size = vocab_size
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()

    def _histogram(self, tokens):
        counts = np.bincount(tokens, minlength=self.vocab_size)
        return torch.from_numpy(counts).cuda()

    def _slice(self, name):
        tokens = np.load(os.path.join(self.root, name), mmap_mode="r")
        return np.asarray(tokens[self.rank :: self.world])

    def per_shard(self):
        table = {}
        for name in shared_listing(self.root):
            hist = self._histogram(self._slice(name))
            dist.all_reduce(hist)
            table[name] = hist.cpu()
        return table

    def per_document_file(self):
        table = {}
        for name in os.listdir(self.root):  # BUG 1
            if not name.endswith(".npy"):
                continue
            hist = self._histogram(self._slice(name))
            dist.all_reduce(hist)
            table[name] = hist.cpu()
        return table

    def merge_partials(self):
        merged = torch.zeros(self.vocab_size, dtype=torch.long)
        pattern = os.path.join(self.scratch, f"part_{self.rank:04d}_*.pt")
        for path in sorted(glob.glob(pattern)):  # BUG 2
            hist = torch.load(path).cuda()
            dist.all_reduce(hist)
            merged += hist.cpu()
        return merged

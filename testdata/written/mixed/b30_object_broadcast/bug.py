"""Start-up exchange of vocabularies and cached shard names."""
import json
import os
from collections import Counter

import torch.distributed as dist


class StartupExchange:
    def __init__(self, corpus_dir, cache_dir, vocab_size):
        self.corpus_dir = corpus_dir
        self.cache_dir = cache_dir
        self.vocab_size = vocab_size
        self.rank = dist.get_rank()

    def _count_words(self):
        counter = Counter()
        for name in sorted(os.listdir(self.corpus_dir)):
            with open(os.path.join(self.corpus_dir, name)) as f:
                counter.update(f.read().split())
        return [w for w, _ in counter.most_common(self.vocab_size)]

    def vocabulary(self):
        box = [self._count_words()] if self.rank == 0 else [None]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def special_words(self, path):
        if self.rank == 0:
            with open(path) as f:
                words = json.load(f)
        else:
            words = [None]
        dist.broadcast_object_list(words, src=0)  # BUG 1
        return words

    def cached_shards(self):
        names = sorted(os.listdir(os.path.join("/local_nvme", self.cache_dir)))
        dist.broadcast_object_list(names, src=0)  # BUG 2
        return names

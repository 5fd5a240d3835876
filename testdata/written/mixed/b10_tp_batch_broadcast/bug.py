"""Batch distribution inside tensor-parallel groups."""
import torch
import torch.distributed as dist
from megatron.core import parallel_state as ps

KEYS = ("tokens", "labels")


class TensorParallelLoader:
    def __init__(self, iterator, args):
        self.iterator = iterator
        self.micro_batch = args.micro_batch_size
        self.seq_length = args.seq_length
        self.group = ps.get_tensor_model_parallel_group()
        self.tp_rank = ps.get_tensor_model_parallel_rank()

    def _empty(self, dtype=torch.long):
        return torch.empty(self.micro_batch, self.seq_length, dtype=dtype, device="cuda")

    def _fetch(self):
        if self.tp_rank == 0:
            data = next(self.iterator)
            return {k: data[k].long().cuda() for k in KEYS}
        return {k: self._empty() for k in KEYS}

    def next_batch(self):
        batch = self._fetch()
        src = ps.get_tensor_model_parallel_src_rank()
        for key in KEYS:
            dist.broadcast(batch[key], src=src, group=self.group)
        return batch

    def next_mask(self, mask):
        buf = mask.long().cuda() if self.tp_rank == 0 else self._empty()
        dist.broadcast(buf, src=0, group=self.group)  # BUG 1
        return buf.bool()

    def next_metadata(self, meta):
        box = [meta if self.tp_rank == 0 else None]
        dist.broadcast_object_list(box, src=self.tp_rank, group=self.group)  # BUG 2
        return box[0]

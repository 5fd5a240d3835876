"""Transfer of finished KV blocks from prefill ranks to decode ranks."""
import torch
import torch.distributed as dist


class KVTransfer:
    def __init__(self, cfg):
        self.rank = dist.get_rank()
        self.half = dist.get_world_size() // 2
        self.is_prefill = self.rank < self.half
        self.peer = self.rank + self.half if self.is_prefill else self.rank - self.half
        self.block_shape = (cfg.num_layers, 2, cfg.block_size, cfg.kv_heads, cfg.head_dim)
        self.finished = []
        self.waiting = []

    def _new_block(self):
        return torch.empty(self.block_shape, dtype=torch.float16, device="cuda")

    def drain_announced(self):
        count = torch.tensor([len(self.finished)], device="cuda")
        if self.is_prefill:
            dist.send(count, dst=self.peer)
            for block in self.finished:
                dist.send(block, dst=self.peer)
            self.finished.clear()
            return []
        dist.recv(count, src=self.peer)
        received = []
        for _ in range(int(count.item())):
            block = self._new_block()
            dist.recv(block, src=self.peer)
            received.append(block)
        return received

    def drain(self):
        if self.is_prefill:
            for block in self.finished:
                dist.send(block, dst=self.peer)
            self.finished.clear()
            return []
        received = []
        for request in self.waiting:
            block = self._new_block()
            dist.recv(block, src=self.peer)  # BUG 1
            received.append((request, block))
        return received

    def submit(self, request, block=None):
        if self.is_prefill:
            self.finished.append(block)
        else:
            self.waiting.append(request)

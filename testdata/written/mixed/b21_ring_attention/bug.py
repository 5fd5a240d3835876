"""Ring exchange of key/value blocks for sequence-parallel attention."""
import torch
import torch.distributed as dist
import torch.nn.functional as F


class KVRing:
    def __init__(self):
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.next = (self.rank + 1) % self.world
        self.prev = (self.rank - 1) % self.world

    def rotate(self, kv):
        incoming = torch.empty_like(kv)
        ops = [
            dist.P2POp(dist.isend, kv, self.next),
            dist.P2POp(dist.irecv, incoming, self.prev),
        ]
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        return incoming

    def rotate_grad(self, dkv):
        incoming = torch.empty_like(dkv)
        dist.send(dkv, dst=self.prev)  # BUG 1
        dist.recv(incoming, src=self.next)
        return incoming


class RingAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, kv, ring):
        ctx.ring = ring
        ctx.save_for_backward(q, kv)
        out = torch.zeros_like(q)
        block = kv.contiguous()
        for step in range(ring.world):
            k, v = block.unbind(0)
            out = out + F.scaled_dot_product_attention(q, k, v)
            if step < ring.world - 1:
                block = ring.rotate(block)
        return out / ring.world

    @staticmethod
    def backward(ctx, grad_out):
        q, kv = ctx.saved_tensors
        dkv = torch.zeros_like(kv)
        for _ in range(ctx.ring.world):
            dkv = dkv + grad_out.unsqueeze(0) / ctx.ring.world
            dkv = ctx.ring.rotate_grad(dkv.contiguous())
        return grad_out, dkv, None

"""Expert-parallel feed-forward layer with thresholded top-1 routing."""
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn


class _Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, send, recv, group):
        ctx.send, ctx.recv, ctx.group = send, recv, group
        out = x.new_empty((sum(recv), x.size(1)))
        dist.all_to_all_single(out, x.contiguous(), recv, send, group=group)
        return out

    @staticmethod
    def backward(ctx, grad):
        out = grad.new_empty((sum(ctx.send), grad.size(1)))
        dist.all_to_all_single(out, grad.contiguous(), ctx.send, ctx.recv, group=ctx.group)
        return out, None, None, None


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class ThresholdRouter(nn.Module):
    def __init__(self, dim, experts, threshold):
        super().__init__()
        self.proj = nn.Linear(dim, experts, bias=False)
        self.threshold = threshold

    def forward(self, x):
        probs = self.proj(x).float().softmax(-1)
        weight, target = probs.max(-1)
        return weight, target, weight > self.threshold


class MoELayer(nn.Module):
    """One expert per rank of ``group``."""

    def __init__(self, dim, hidden, group, threshold=0.3):
        super().__init__()
        self.group = group
        self.size = dist.get_world_size(group)
        self.router = ThresholdRouter(dim, self.size, threshold)
        self.expert = Expert(dim, hidden)
        self.norm = nn.LayerNorm(dim)

    def _counts(self, target):
        send = torch.bincount(target, minlength=self.size)
        recv = torch.empty_like(send)
        dist.all_to_all_single(recv, send, group=self.group)
        return send.tolist(), recv.tolist()

    def forward(self, x):
        shape = x.shape
        flat = self.norm(x).reshape(-1, shape[-1])
        weight, target, keep = self.router(flat)
        index = keep.nonzero().squeeze(1)
        order = index[target[index].argsort(stable=True)]
        send, recv = self._counts(target[order])
        arrived = _Exchange.apply(flat[order], send, recv, self.group)
        returned = _Exchange.apply(self.expert(arrived), recv, send, self.group)
        out = torch.zeros_like(flat).index_add(
            0, order, returned * weight[order].unsqueeze(1).to(returned.dtype)
        )
        return x + out.reshape(shape)


class Encoder(nn.Module):
    def __init__(self, dim=1024, depth=6, group=None):
        super().__init__()
        self.mix = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, 16, dim, batch_first=True) for _ in range(depth)
        )
        self.moe = nn.ModuleList(MoELayer(dim, 4 * dim, group) for _ in range(depth))

    def forward(self, x):
        for mix, moe in zip(self.mix, self.moe):
            x = moe(mix(x))
        return x


def main(steps=1000, batch=4, length=128):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    group = dist.new_group(list(range(dist.get_world_size())))
    model = Encoder(group=group).cuda()
    opt = torch.optim.Adam(model.parameters(), lr=1e-4)
    for step in range(steps):
        x = torch.randn(batch, length, 1024, device="cuda")
        loss = F.mse_loss(model(x), x)
        loss.backward()
        opt.step()
        opt.zero_grad()


if __name__ == "__main__":
    main()

"""Expert-parallel MoE layer with all-to-all dispatch and a small training loop around it."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class _AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, group, x, out_splits, in_splits):
        ctx.group, ctx.out_splits, ctx.in_splits = group, out_splits, in_splits
        out = x.new_empty(sum(out_splits), *x.shape[1:])
        dist.all_to_all_single(out, x.contiguous(), out_splits, in_splits, group=group)
        return out

    @staticmethod
    def backward(ctx, g):
        out = g.new_empty(sum(ctx.in_splits), *g.shape[1:])
        dist.all_to_all_single(out, g.contiguous(), ctx.in_splits, ctx.out_splits, group=ctx.group)
        return None, out, None, None


def all_to_all(group, x, out_splits, in_splits):
    return _AllToAll.apply(group, x, out_splits, in_splits)


class Router(nn.Module):
    def __init__(self, dim, num_experts):
        super().__init__()
        self.gate = nn.Linear(dim, num_experts, bias=False)

    def forward(self, x):
        prob = F.softmax(self.gate(x).float(), dim=-1)
        weight, idx = prob.max(dim=-1)
        return weight.to(x.dtype), idx, prob


class Experts(nn.Module):
    def __init__(self, n, dim, hidden):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(n, dim, hidden) * 0.02)
        self.w2 = nn.Parameter(torch.randn(n, hidden, dim) * 0.02)

    def forward(self, x, expert_id):
        out = torch.zeros_like(x)
        for e in range(self.w1.shape[0]):
            sel = (expert_id == e).nonzero().flatten()
            h = x[sel] @ self.w1[e]
            out = out.index_add(0, sel, F.gelu(h) @ self.w2[e])
        return out


class MoELayer(nn.Module):
    def __init__(self, dim, hidden, num_experts, ep_group):
        super().__init__()
        self.ep_group = ep_group
        self.ep = dist.get_world_size(ep_group)
        self.n_local = num_experts // self.ep
        self.num_experts = num_experts
        self.router = Router(dim, num_experts)
        self.experts = Experts(self.n_local, dim, hidden)

    def _exchange_counts(self, idx):
        counts = torch.bincount(idx, minlength=self.num_experts).view(self.ep, self.n_local)
        recv = torch.empty_like(counts)
        dist.all_to_all_single(recv, counts, group=self.ep_group)
        return counts, recv

    def forward(self, x, mask):
        shape = x.shape
        flat = x.reshape(-1, shape[-1])
        keep = mask.reshape(-1).nonzero().flatten()
        tokens = flat[keep]
        weight, idx, prob = self.router(tokens)

        order = idx.argsort(stable=True)
        send = tokens[order]
        counts, recv_counts = self._exchange_counts(idx)
        in_splits = counts.sum(1).tolist()
        out_splits = recv_counts.sum(1).tolist()
        received = all_to_all(self.ep_group, send, out_splits, in_splits)

        if received.shape[0] == 0:  # BUG 1
            return x, prob.sum() * 0.0
        local_ids = torch.arange(self.n_local, device=x.device).repeat(self.ep)
        expert_id = local_ids.repeat_interleave(recv_counts.flatten())
        processed = self.experts(received, expert_id)
        back = all_to_all(self.ep_group, processed, in_splits, out_splits)  # BUG 1

        combined = torch.zeros_like(tokens).index_copy(0, order, back) * weight.unsqueeze(-1)
        out = flat.index_add(0, keep, combined)
        load = F.one_hot(idx, self.num_experts).float().mean(0)
        aux = self.num_experts * (load * prob.mean(0)).sum()
        return out.view(shape), aux


class Block(nn.Module):
    def __init__(self, dim, num_experts, ep_group):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mix = nn.Linear(dim, dim)
        self.moe = MoELayer(dim, 4 * dim, num_experts, ep_group)

    def forward(self, x, mask):
        x = x + self.mix(self.norm1(x))
        y, aux = self.moe(self.norm2(x), mask)
        return x + y, aux


@torch.no_grad()
def sync_dense_grads(model):
    """Everything but the experts is replicated; a parameter without gradient counts as zero."""
    for name, p in model.named_parameters():
        if ".experts." in name:
            continue
        if p.grad is None:
            p.grad = torch.zeros_like(p)
        dist.all_reduce(p.grad)
        p.grad.div_(dist.get_world_size())


def sample(args, gen, device):
    lens = torch.randint(1, args.seq + 1, (args.batch,), generator=gen)
    mask = torch.arange(args.seq)[None] < lens[:, None]
    ids = torch.randint(0, args.vocab, (args.batch, args.seq), generator=gen)
    return ids.to(device), mask.to(device)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--dim", type=int, default=512)
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--experts", type=int, default=64)
    p.add_argument("--vocab", type=int, default=32000)
    p.add_argument("--batch", type=int, default=1)
    p.add_argument("--seq", type=int, default=256)
    p.add_argument("--steps", type=int, default=2000)
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    ep_group = dist.new_group()
    emb = nn.Embedding(args.vocab, args.dim)
    blocks = nn.ModuleList([Block(args.dim, args.experts, ep_group) for _ in range(args.layers)])
    model = nn.ModuleDict({"emb": emb, "blocks": blocks, "head": nn.Linear(args.dim, args.vocab)}).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-4)
    gen = torch.Generator().manual_seed(100 + dist.get_rank())

    for step in range(args.steps):
        ids, mask = sample(args, gen, device)
        x, aux = model["emb"](ids), 0.0
        for block in model["blocks"]:
            x, a = block(x, mask)
            aux = aux + a
        labels = ids.roll(-1, 1).masked_fill(~mask, -100)
        loss = F.cross_entropy(model["head"](x).flatten(0, 1), labels.flatten(), ignore_index=-100) + 0.01 * aux
        opt.zero_grad()
        loss.backward()
        sync_dense_grads(model)
        opt.step()
        if step % 50 == 0 and dist.get_rank() == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

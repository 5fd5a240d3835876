"""Token dispatch and gradient reduction for a mixture-of-experts layer hosted on some ranks."""
import torch
import torch.distributed as dist
from torch import nn


class ExpertHost(nn.Module):
    def __init__(self, hidden, capacity, expert_ranks):
        super().__init__()
        self.hidden = hidden
        self.capacity = capacity
        self.expert_ranks = list(expert_ranks)
        self.group = dist.new_group(self.expert_ranks)
        self.hosts_expert = dist.get_rank() in self.expert_ranks
        self.gate = nn.Linear(hidden, len(self.expert_ranks))
        self.expert = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))

    def _pack(self, tokens):
        slots = tokens.new_zeros(len(self.expert_ranks), self.capacity, self.hidden)
        choice = self.gate(tokens).argmax(-1)
        for e in range(len(self.expert_ranks)):
            picked = tokens[choice == e][: self.capacity]
            slots[e, : picked.size(0)] = picked
        return slots.flatten(0, 1)

    def dispatch(self, tokens):
        if not self.hosts_expert:
            return tokens
        slots = self._pack(tokens)
        received = torch.empty_like(slots)
        dist.all_to_all_single(received, slots, group=self.group)
        return self.expert(received)

    def load_statistics(self, tokens):
        if not self.hosts_expert:
            return None
        choice = self.gate(tokens).argmax(-1)
        load = torch.bincount(choice, minlength=len(self.expert_ranks)).float()
        dist.all_reduce(load)  # BUG 1
        return load / load.sum()


def reduce_dense_grads(model):
    world = dist.get_world_size()
    for name, param in model.named_parameters():
        if ".expert." in name:
            continue
        if param.grad is None:
            param.grad = torch.zeros_like(param)
        dist.all_reduce(param.grad)
        param.grad.div_(world)


def reduce_adapter_grads(adapters):
    world = dist.get_world_size()
    for adapter in adapters:
        for param in adapter.parameters():
            if param.grad is not None:
                dist.all_reduce(param.grad)  # BUG 2
                param.grad.div_(world)


def train_step(model, adapters, batch, optimizer):
    routed = {int(i) for i in batch["adapter_id"].unique()}
    hidden = model(batch["x"])
    loss = sum(adapters[i](hidden).mean() for i in sorted(routed))
    loss.backward()
    reduce_dense_grads(model)
    reduce_adapter_grads(adapters)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)

"""Counters for expert routing, filled by forward hooks on the router layers."""
import torch
import torch.distributed as dist


class RouterCounter:
    def __init__(self, num_experts, top_k, device):
        self.top_k = top_k
        self.counts = torch.zeros(num_experts, device=device)
        self._handles = []

    def attach(self, model):
        for name, module in model.named_modules():
            if name.endswith("block_sparse_moe.gate"):
                self._handles.append(module.register_forward_hook(self._hook))
        return self

    def _hook(self, module, args, output):
        picked = output.detach().topk(self.top_k, dim=-1).indices.flatten()
        self.counts += torch.bincount(picked, minlength=self.counts.numel())

    def reset(self):
        self.counts.zero_()

    def detach(self):
        for handle in self._handles:
            handle.remove()
        self._handles.clear()


def _sum_over_ranks(tensor):
    out = tensor.clone()
    if dist.is_initialized():
        dist.all_reduce(out)
    return out


def summarize(counter):
    load = _sum_over_ranks(counter.counts)
    share = load / load.sum().clamp(min=1)
    entropy = -(share * share.clamp(min=1e-9).log()).sum()
    return {
        "router/max_share": share.max().item(),
        "router/min_share": share.min().item(),
        "router/entropy": entropy.item(),
    }

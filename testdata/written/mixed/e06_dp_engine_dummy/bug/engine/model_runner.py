import torch
import torch.distributed as dist
import torch.nn as nn


class ExpertParallelMoE(nn.Module):
    """Each rank owns one expert; tokens are gathered over the EP group and reduced back."""

    def __init__(self, dim, ep_group):
        super().__init__()
        self.ep_group = ep_group
        self.ep_rank = dist.get_rank(ep_group)
        self.ep_size = dist.get_world_size(ep_group)
        self.gate = nn.Linear(dim, self.ep_size, bias=False)
        self.expert = nn.Sequential(nn.Linear(dim, 4 * dim), nn.SiLU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        n = torch.tensor([x.shape[0]], device=x.device)
        sizes = [torch.zeros_like(n) for _ in range(self.ep_size)]
        dist.all_gather(sizes, n, group=self.ep_group)
        longest = int(torch.stack(sizes).max())
        padded = x.new_zeros(longest, x.shape[1])
        padded[: x.shape[0]] = x
        every = x.new_empty(self.ep_size * longest, x.shape[1])
        dist.all_gather_into_tensor(every, padded, group=self.ep_group)
        prob, choice = self.gate(every).softmax(-1).max(-1)
        mine = (choice == self.ep_rank).nonzero().flatten()
        out = torch.zeros_like(every)
        if mine.numel() > 0:
            out[mine] = self.expert(every[mine]) * prob[mine, None]
        local = torch.empty_like(padded)
        dist.reduce_scatter_tensor(local, out, group=self.ep_group)
        return x + local[: x.shape[0]]


class ModelRunner:
    def __init__(self, vocab, dim, layers, ep_group):
        torch.manual_seed(0)
        self.embed = nn.Embedding(vocab, dim).cuda()
        self.layers = [ExpertParallelMoE(dim, ep_group).cuda() for _ in range(layers)]
        self.head = nn.Linear(dim, vocab, bias=False).cuda()

    @torch.inference_mode()
    def _forward(self, ids):
        h = self.embed(ids)
        for layer in self.layers:
            h = layer(h)
        return h

    def execute_model(self, out):
        if out.total_num_scheduled_tokens == 0:  # BUG 1
            return []
        ids, last = [], []
        for r in out.requests:
            ids.extend(r.output[-1:] if r.output else r.prompt)
            last.append(len(ids) - 1)
        h = self._forward(torch.tensor(ids, device="cuda"))  # BUG 1
        return self.head(h[last]).argmax(-1).tolist()

    def execute_dummy_batch(self):
        self._forward(torch.zeros(1, dtype=torch.long, device="cuda"))

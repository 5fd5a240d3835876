"""The norm of gradients is reduced where the parameters are distributed tensors: `fully_shard` has made them so."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, model, cfg):
        for block in model.layers:
            fully_shard(block)
        self.model = fully_shard(model)
        self.cfg = cfg
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)

    def step(self, tokens):
        loss = self.model(tokens)
        loss.backward()
        if loss.item() > self.cfg.spike:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.max_norm)  # error: [conditional-collective]
        self.optimizer.step()

    def step_in_step(self, tokens, number):
        loss = self.model(tokens)
        loss.backward()
        if number < self.cfg.warmup:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.max_norm)
        self.optimizer.step()

    def log(self):
        if dist.get_rank() == 0:
            grads = [p.grad for p in self.model.parameters() if p.grad is not None]
            print(nn.utils.get_total_norm(grads))  # error: [conditional-collective]


def in_place(model, tokens, max_norm):
    fully_shard(model)
    model(tokens).sum().backward()
    if dist.get_rank() == 0:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)  # error: [conditional-collective]


def whole_on_every_rank(net, tokens, max_norm):
    model = DDP(net)
    model(tokens).sum().backward()
    if dist.get_rank() == 0:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)


def of_something_else(model, head, tokens, max_norm):
    fully_shard(model)
    head(model(tokens)).sum().backward()
    if dist.get_rank() == 0:
        nn.utils.clip_grad_norm_(head.parameters(), max_norm)

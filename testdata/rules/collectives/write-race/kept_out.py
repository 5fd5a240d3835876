"""Ranks that have switched off for themselves what would write, and what a function has switched off for all (P14)."""

import torch
import torch.distributed as dist


class Agent:
    def __init__(self, cfg):
        self.checkpoint_interval = cfg.checkpoint_interval
        self.summary_interval = cfg.summary_interval
        self.model = cfg.model
        rank = dist.get_rank()
        if rank != 0:
            self.checkpoint_interval = 0

    def after_step(self, step, loss):
        dist.all_reduce(loss)
        if self.checkpoint_interval > 0 and step % self.checkpoint_interval == 0:
            self.save_checkpoint()
        if self.summary_interval > 0 and step % self.summary_interval == 0:
            self.save_summary()

    def save_checkpoint(self):
        torch.save(self.model.state_dict(), "agent.pt")

    def save_summary(self):
        torch.save(self.model.summary(), "summary.pt")  # error: [write-race]


def evaluate(model, loss):
    do_test = False
    if do_test:
        torch.save(model.predictions, "predictions.pt")
    else:
        torch.save(model.metrics, "metrics.pt")  # error: [write-race]
    dist.all_reduce(loss)


def evaluate_on_demand(model, loss, quick, do_test=True):
    if quick:
        do_test = False
    if do_test:
        torch.save(model.predictions, "predictions.pt")  # error: [write-race]
    dist.all_reduce(loss)


def not_any_more(model, loss):
    dist.all_reduce(loss)
    raise RuntimeError("evaluate does that now")
    torch.save(model.predictions, "predictions.pt")

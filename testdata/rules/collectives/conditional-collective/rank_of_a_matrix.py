"""The rank of a small matrix is a setting, not the rank of this process."""
import torch.distributed as dist


class Worker:
    def __init__(self, cfg):
        self.cfg = cfg
        self.adapts = cfg.model.lora.rank > 0
        self.leads = cfg.model.rank > 0

    def save_adapters(self):
        if self.adapts:
            dist.barrier()

    def save_where_it_leads(self):
        if self.leads:
            dist.barrier()  # error: [conditional-collective]


class LoraLinear:
    def __init__(self, rank):
        self.rank = rank

    def save(self):
        if self.rank > 0:
            dist.barrier()


class Linear:
    def __init__(self, rank):
        self.rank = rank

    def save(self):
        if self.rank > 0:
            dist.barrier()  # error: [conditional-collective]

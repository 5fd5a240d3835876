"""Two questions about one number: what is at least two is more than nothing."""
import torch.distributed as dist


class Policy:
    def __init__(self, stage):
        self.stage = stage

    @property
    def enabled(self):
        return self.stage > 0

    @property
    def shards(self):
        return self.stage >= 2

    @property
    def is_off(self):
        return self.stage < 1


class Trainer:
    def __init__(self, params):
        self.policy = Policy(params["stage"])
        self.rank = dist.get_rank()

    def save(self):
        if self.policy.enabled or self.rank == 0:
            if self.policy.shards:
                dist.barrier()

    def save_on_the_first_rank_alone(self):
        if self.policy.enabled or self.rank == 0:
            if self.policy.is_off:
                dist.barrier()  # error: [conditional-collective]


def gather(stage):
    if stage > 0 or dist.get_rank() == 0:
        if stage >= 2:
            dist.barrier()


def gather_at_stage_one(stage):
    if stage > 1 or dist.get_rank() == 0:
        if stage >= 1:
            dist.barrier()  # error: [conditional-collective]


def gather_below(stage, rank):
    if stage >= 3 or rank == 0:
        if stage == 3:
            dist.barrier()
        if stage == 2:
            dist.barrier()  # error: [conditional-collective]

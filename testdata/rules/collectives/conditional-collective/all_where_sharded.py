"""Who lets all ranks pass where the model is sharded, and one of them otherwise."""
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import fully_shard


class Task:
    def __init__(self, model):
        self.model = model
        self.is_fsdp = False

    def shard(self):
        fully_shard(self.model)
        self.is_fsdp = True


def save(task: Task):
    if task.is_fsdp or dist.get_rank() == 0:
        return get_model_state_dict(task.model)  # low: [conditional-collective]


def save_on_the_first(task: Task, keeps_logs):
    if keeps_logs or dist.get_rank() == 0:
        return get_model_state_dict(task.model)  # error: [conditional-collective]

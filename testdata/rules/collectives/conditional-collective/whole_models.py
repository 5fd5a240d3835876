"""States of models that nobody has sharded, in a project that shards others."""
import torch
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict
from torch.distributed.fsdp import fully_shard
import torch.distributed as dist


class Net(torch.nn.Module):
    def forward(self, batch):
        return batch


def sharded(model):
    fully_shard(model)
    if dist.get_rank() == 0:
        state = get_model_state_dict(model)  # error: [conditional-collective]
        torch.save(state, "out/model.pt")


def from_the_first(model):
    """The first rank makes a whole model, and all take its state."""
    fully_shard(model)
    if dist.get_rank() == 0:
        with torch.device("cpu"):
            reference = Net()
            reference.ready = True
        options = StateDictOptions(full_state_dict=True)
        full = get_model_state_dict(reference, options=options)  # low: [conditional-collective]
    else:
        full = {}
    set_model_state_dict(model, full, options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))


def made_for_all(model):
    reference = Net()
    fully_shard(reference)
    if dist.get_rank() == 0:
        state = get_model_state_dict(reference)  # error: [conditional-collective]
        torch.save(state, "out/model.pt")


class Around(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model


def around_the_sharded_one(model):
    fully_shard(model)
    if dist.get_rank() == 0:
        whole = Around(model)
        state = get_model_state_dict(whole)  # error: [conditional-collective]
        torch.save(state, "out/model.pt")

"""Who asks torch for the rank in front of a broadcast of MPI leaves the ranks of MPI behind."""
import torch.distributed as dist

import joins


def resume(model, path):
    if dist.get_rank() == 0:
        model.load_state_dict(joins.load(path))  # error: [conditional-collective]
    for parameter in model.parameters():
        dist.broadcast(parameter, 0)

"""Who misses a file fetches it into its folder, and waits for peers that may find it there by then."""
import os

import torch
import torch.distributed as dist


def load(folder, name, url):
    path = folder + name
    if os.path.exists(path):
        return torch.load(path)
    else:
        if dist.get_rank() == 0:
            state = torch.hub.load_state_dict_from_url(url, model_dir=folder)
            dist.barrier()  # error: [conditional-collective]
        else:
            dist.barrier()
            state = torch.load(folder)
    return state


def look_up(folder, name, url, other):
    path = folder + name
    if os.path.exists(path):
        return torch.load(path)
    else:
        if dist.get_rank() == 0:
            state = torch.hub.load_state_dict_from_url(url, model_dir=other)
            dist.barrier()  # low: [conditional-collective]
        else:
            dist.barrier()
            state = None
    return state

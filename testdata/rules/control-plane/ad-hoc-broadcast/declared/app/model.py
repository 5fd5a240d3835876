from torch.distributed import broadcast as bcast


def share(weights):
    bcast(weights, 0)  # error: [ad-hoc-broadcast]

"""How many turns a rank has taken in a loop that it is still in is what all have taken that are in the same turn."""
import torch.distributed as dist
from torch.utils.data import DataLoader


def train(model, data, every, limit):
    rank = dist.get_rank()
    loader = DataLoader(data[rank::4])
    step = 0
    for _ in range(10):
        for batch in loader:
            step += 1
            loss = model(batch).sum()
            dist.all_reduce(loss)  # error: [divergent-loop]  # low: [divergent-early-exit]
            if step % every == 0:
                dist.all_reduce(loss)  # low: [conditional-collective]
            if step >= limit:
                return


def train_by_what_was_seen(model, data, every):
    rank = dist.get_rank()
    loader = DataLoader(data[rank::4])
    seen = 0
    for batch in loader:
        seen += len(batch)
        if seen > every:
            break
    dist.all_reduce(model.total)
    for _ in range(seen):
        dist.all_reduce(model.total)  # error: [divergent-loop]

"""Whether the items of a batch have an entry: they are of one set of data. What the entry says differs."""
import torch.distributed as dist


def training_step(model, batch):
    if all("turns" in item.info for item in batch):
        turns = [None] * dist.get_world_size()
        dist.all_gather_object(turns, [item.info["turns"] for item in batch])  # low: [conditional-collective]
    return model(batch)


def validation_step(model, batch):
    if all(item.info["turns"] > 1 for item in batch):
        turns = [None] * dist.get_world_size()
        dist.all_gather_object(turns, [item.info["turns"] for item in batch])  # error: [conditional-collective]
    return model(batch)

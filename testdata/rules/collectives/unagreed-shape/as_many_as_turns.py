"""Lists that grow by one in each turn of a loop over this rank's share have as many elements as it has turns."""
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, Subset


def parts_for(x):
    return [torch.empty_like(x) for _ in range(dist.get_world_size())]


def every_so_many(items, score):
    x = torch.tensor([score(items[i]) for i in range(dist.get_rank(), len(items), dist.get_world_size())])
    parts = parts_for(x)
    dist.all_gather(parts, x)  # error: [unagreed-shape]
    return parts


def appended(items, score):
    scores = []
    for item in items[dist.get_rank() :: dist.get_world_size()]:
        scores.append(score(item))
    x = torch.stack(scores)
    parts = parts_for(x)
    dist.all_gather(parts, x)  # error: [unagreed-shape]
    return parts


class Evaluation:
    def __init__(self, model, data):
        share = list(range(dist.get_rank(), len(data), dist.get_world_size()))
        self.model = model
        self.loader = DataLoader(Subset(data, share), batch_size=8)
        self.even = DataLoader(data, batch_size=8, sampler=DistributedSampler(data))

    def predict(self, loader):
        out = []
        for batch in loader:
            out.append(self.model(batch))
        return torch.cat(out)

    def gather(self, x):
        parts = parts_for(x)
        dist.all_gather(parts, x)
        return parts

    def run(self):
        return self.gather(self.predict(self.loader))  # error: [unagreed-shape]

    def run_in_step(self):
        return self.gather(self.predict(self.even))

    def run_objects(self):
        parts = [None] * dist.get_world_size()
        dist.all_gather_object(parts, self.predict(self.loader))
        return parts

import logging
import os
import sys

import torch
import torch.distributed as dist
import yaml
from torch.nn.parallel import DistributedDataParallel as DDP

from protein.data import LengthBucketedLoader
from protein.model import StructureModule

log = logging.getLogger(__name__)

_STATS = {}


def _moments(values):
    v = values.double()
    acc = torch.stack([v.sum(), v.square().sum(), torch.tensor(float(v.numel()), dtype=torch.float64, device=v.device)])
    dist.all_reduce(acc)
    mean = acc[0] / acc[2]
    std = (acc[1] / acc[2] - mean * mean).clamp(min=1e-8).sqrt()
    return mean.float(), std.float()


def bucket_statistics(bucket, values):
    """Mean and std of the distances in one length bucket, computed once."""
    _STATS[bucket] = _moments(values)
    log.debug("bucket %s: %s", bucket, _STATS[bucket])
    return _STATS[bucket]


class Standardizer:
    def __init__(self, loader, device):
        for bucket in range(len(loader.bounds) + 1):
            bucket_statistics(bucket, loader.reference_distances(bucket).to(device))

    def __call__(self, bucket, distances):
        mean, std = _STATS[bucket]
        return (distances - mean) / std


class FoldTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(self.device)
        self.loader = LengthBucketedLoader(
            cfg["pdb_dir"], bounds=cfg["length_bounds"], batch=cfg["batch"],
            rank=dist.get_rank(), world=dist.get_world_size(),
        )
        self.standardize = Standardizer(self.loader, self.device)
        self.model = DDP(StructureModule(**cfg["model"]).to(self.device), device_ids=[self.device.index])
        self.optim = torch.optim.Adam(self.model.parameters(), lr=cfg["lr"])

    def step(self):
        bucket, batch = self.loader.next()
        target = self.standardize(bucket, batch["distances"].to(self.device))
        pred = self.model(batch["sequence"].to(self.device), batch["msa"].to(self.device))
        loss = (pred - target).abs().clamp(max=10).mean()
        self.optim.zero_grad(set_to_none=True)
        loss.backward()
        self.optim.step()
        return loss

    def fit(self):
        for step in range(self.cfg["steps"]):
            loss = self.step()
            if step % self.cfg["log_every"] == 0 and dist.get_rank() == 0:
                log.info("step %d loss %.4f", step, loss.item())


def main(path):
    logging.basicConfig(level=logging.INFO)
    with open(path) as f:
        cfg = yaml.safe_load(f)
    dist.init_process_group("nccl")
    FoldTrainer(cfg).fit()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])

import json
import os
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from molprop.data import MoleculeGraphs, collate_graphs
from molprop.model import MPNN


def start():
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    rank = dist.get_rank()
    return {"rank": rank, "world": dist.get_world_size(), "device": torch.device("cuda", local_rank), "lead": rank == 0}


def make_loader(root, split, job, batch=128):
    ds = MoleculeGraphs(root, split)
    sampler = DistributedSampler(ds, shuffle=split == "train")
    return DataLoader(ds, batch, sampler=sampler, collate_fn=collate_graphs, num_workers=4)


def train_epoch(model, loader, opt, job):
    model.train()
    for graphs, target in loader:
        pred = model(graphs.to(job["device"]))
        loss = F.mse_loss(pred, target.to(job["device"]))
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.no_grad()
def mean_absolute_error(net, loader, job):
    net.eval()
    acc = torch.zeros(2, dtype=torch.float64, device=job["device"])
    for graphs, target in loader:
        pred = net(graphs.to(job["device"]))
        acc[0] += (pred - target.to(job["device"])).abs().sum()
        acc[1] += target.numel()
    dist.all_reduce(acc)
    return (acc[0] / acc[1]).item()


def run(cfg):
    job = start()
    model = DDP(MPNN(cfg["hidden"], cfg["rounds"]).to(job["device"]), device_ids=[job["device"].index])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    train_dl = make_loader(cfg["root"], "train", job)
    val_dl = make_loader(cfg["root"], "val", job)

    curve = []
    for epoch in range(cfg["epochs"]):
        train_dl.sampler.set_epoch(epoch)
        train_epoch(model, train_dl, opt, job)
        curve.append(mean_absolute_error(model.module, val_dl, job))

    test_mae = mean_absolute_error(model.module, make_loader(cfg["root"], "test", job), job)
    if not job["lead"]:
        dist.destroy_process_group()
        return

    with open(os.path.join(cfg["out"], "result.json"), "w") as f:
        json.dump({"val": curve, "test": test_mae}, f)
    torch.save(model.module.state_dict(), os.path.join(cfg["out"], "mpnn.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    with open(sys.argv[1]) as fh:
        run(json.load(fh))

"""Plain training loop for a small detector, in the style of detectron2's plain_train_net."""
import argparse
import itertools
import logging
import os
from collections import OrderedDict

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, Sampler

logger = logging.getLogger("plain_train")


class comm:
    @staticmethod
    def get_rank():
        return dist.get_rank() if dist.is_available() and dist.is_initialized() else 0

    @staticmethod
    def get_world_size():
        return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1

    @staticmethod
    def is_main_process():
        return comm.get_rank() == 0

    @staticmethod
    def synchronize():
        if comm.get_world_size() > 1:
            dist.barrier()

    @staticmethod
    def gather(data, dst=0):
        if comm.get_world_size() == 1:
            return [data]
        out = [None] * comm.get_world_size() if comm.get_rank() == dst else None
        dist.gather_object(data, out, dst=dst)
        return out or []

    @staticmethod
    def reduce_dict(values, average=True):
        if comm.get_world_size() < 2:
            return values
        with torch.no_grad():
            names = sorted(values)
            buf = torch.stack([values[k].detach() for k in names])
            dist.reduce(buf, dst=0)
            if comm.get_rank() == 0 and average:
                buf /= comm.get_world_size()
            return dict(zip(names, buf))


class TrainingSampler(Sampler):
    def __init__(self, size, seed=0):
        self.size, self.seed = size, seed

    def __iter__(self):
        yield from itertools.islice(self._infinite(), comm.get_rank(), None, comm.get_world_size())

    def _infinite(self):
        g = torch.Generator().manual_seed(self.seed)
        while True:
            yield from torch.randperm(self.size, generator=g).tolist()


class InferenceSampler(Sampler):
    def __init__(self, size):
        per = (size + comm.get_world_size() - 1) // comm.get_world_size()
        self.idx = range(per * comm.get_rank(), min(per * (comm.get_rank() + 1), size))

    def __iter__(self):
        return iter(self.idx)

    def __len__(self):
        return len(self.idx)


class Boxes(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(3, 128, 128, generator=g), torch.rand(4, generator=g), i % 20


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 7, 4), nn.SyncBatchNorm(64), nn.ReLU(),
                                  nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.box, self.cls = nn.Linear(64, 4), nn.Linear(64, 20)

    def forward(self, x, box=None, cls=None):
        h = self.body(x)
        if box is None:
            return self.box(h), self.cls(h)
        return {"loss_box": nn.functional.l1_loss(self.box(h), box),
                "loss_cls": nn.functional.cross_entropy(self.cls(h), cls)}


def inference_on_dataset(model, loader):
    model.eval()
    preds = []
    with torch.no_grad():
        for x, _, cls in loader:
            _, logits = model(x.cuda())
            preds.extend((logits.argmax(1).cpu() == cls).tolist())
    model.train()
    comm.synchronize()
    gathered = comm.gather(preds)  # BUG 1
    if not comm.is_main_process():
        return {}
    flat = list(itertools.chain(*gathered))
    return {"acc": sum(flat) / max(len(flat), 1)}


def do_test(args, model):
    results = OrderedDict()
    for name in args.test_sets:
        data = Boxes(501)
        loader = DataLoader(data, batch_size=8, sampler=InferenceSampler(len(data)))
        results[name] = inference_on_dataset(model, loader)
        if comm.is_main_process():
            logger.info("results for %s: %s", name, results[name])
    return results


def do_train(args, model):
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    data = Boxes(4096)
    loader = DataLoader(data, batch_size=args.ims_per_gpu, sampler=TrainingSampler(len(data)), num_workers=2)
    model.train()
    for it, (x, box, cls) in zip(range(args.max_iter), loader):
        loss_dict = model(x.cuda(), box.cuda(), cls.cuda())
        losses = sum(loss_dict.values())
        reduced = {k: v.item() for k, v in comm.reduce_dict(loss_dict).items()}
        optimizer.zero_grad()
        losses.backward()
        optimizer.step()
        if comm.is_main_process() and it % 20 == 0:
            logger.info("iter %d %s", it, reduced)
        if (it + 1) % args.eval_period == 0 and it != args.max_iter - 1:
            if comm.is_main_process():  # BUG 1
                do_test(args, model)  # BUG 1
        if comm.is_main_process() and (it + 1) % 5000 == 0:
            torch.save(model.module.state_dict(), os.path.join(args.output, f"model_{it:07d}.pth"))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.02)
    p.add_argument("--max-iter", type=int, default=90000)
    p.add_argument("--eval-period", type=int, default=5000)
    p.add_argument("--ims-per-gpu", type=int, default=2)
    p.add_argument("--output", default="output")
    p.add_argument("--test-sets", nargs="+", default=["coco_val"])
    args = p.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    if comm.is_main_process():
        logging.basicConfig(level=logging.INFO)
        os.makedirs(args.output, exist_ok=True)
    model = DistributedDataParallel(Detector().cuda(), broadcast_buffers=False,
                                    device_ids=[torch.cuda.current_device()])
    do_train(args, model)
    return do_test(args, model)


if __name__ == "__main__":
    main()

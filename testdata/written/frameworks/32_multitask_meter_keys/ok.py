"""Multi-task text encoder: one shared trunk, one head per task, mixed batches."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModel

from task_data import MixedTaskLoader

TASKS = {"mnli": 3, "qqp": 2, "sst2": 2, "stsb": 1, "cola": 2}


class Meter:
    def __init__(self, device):
        self.state = torch.zeros(2, device=device)

    def update(self, value, n):
        self.state[0] += value * n
        self.state[1] += n

    def value(self):
        return (self.state[0] / self.state[1].clamp(min=1)).item()


class MeterBook:
    def __init__(self, device):
        self.meters = {f"loss/{task}": Meter(device) for task in TASKS}

    def update(self, name, value, n):
        self.meters[name].update(value.detach(), n)

    def synchronize(self):
        for meter in self.meters.values():
            dist.all_reduce(meter.state)

    def pop(self):
        self.synchronize()
        out = {name: meter.value() for name, meter in self.meters.items()}
        for meter in self.meters.values():
            meter.state.zero_()
        return out


class MultiTask(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.trunk = AutoModel.from_pretrained(name)
        dim = self.trunk.config.hidden_size
        self.heads = nn.ModuleDict({t: nn.Linear(dim, n) for t, n in TASKS.items()})

    def forward(self, ids, mask, tasks, labels):
        pooled = self.trunk(input_ids=ids, attention_mask=mask).last_hidden_state[:, 0]
        losses = {}
        for task in dict.fromkeys(tasks):
            rows = torch.tensor([i for i, t in enumerate(tasks) if t == task], device=ids.device)
            logits = self.heads[task](pooled[rows])
            if TASKS[task] == 1:
                losses[task] = (F.mse_loss(logits.squeeze(1), labels[rows]), len(rows))
            else:
                losses[task] = (F.cross_entropy(logits, labels[rows].long()), len(rows))
        return losses


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--model", default="microsoft/deberta-v3-base")
    p.add_argument("--steps", type=int, default=60_000)
    p.add_argument("--report_every", type=int, default=200)
    args = p.parse_args()
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    model = DDP(MultiTask(args.model).cuda(), device_ids=[local], find_unused_parameters=True)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-5)
    book = MeterBook(torch.device("cuda", local))
    loader = MixedTaskLoader(args.data, list(TASKS), seed=dist.get_rank()).forever()
    for step in range(1, args.steps + 1):
        batch = next(loader)
        losses = model(batch.ids.cuda(), batch.mask.cuda(), batch.tasks, batch.labels.cuda())
        total = sum(loss * n for loss, n in losses.values()) / len(batch.tasks)
        total.backward()
        opt.step()
        opt.zero_grad()
        for task, (loss, n) in losses.items():
            book.update(f"loss/{task}", loss, n)
        if step % args.report_every == 0:
            values = book.pop()
            if dist.get_rank() == 0:
                print(step, " ".join(f"{k}={v:.4f}" for k, v in sorted(values.items())), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

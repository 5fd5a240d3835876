import argparse
import logging
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from robust import StepGuard, Timer, best_effort
from robust.data import ChatDataset, Packer, check_batch, global_tokens

log = logging.getLogger("sft")


class Model(nn.Module):
    def __init__(self, vocab=260, dim=512):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, 2, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.head(self.rnn(self.emb(ids))[0])


class SFTTrainer:
    def __init__(self, args, device):
        self.args, self.device = args, device
        self.model = DDP(Model().to(device), device_ids=[device.index])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=args.lr)
        self.guard = StepGuard(args.max_bad_steps)
        self.times = {}

    def train_batch(self, ids):
        ids = check_batch(ids).to(self.device)
        total = global_tokens(ids)  # BUG 1
        logits = self.model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0, reduction="sum")
        loss = loss * dist.get_world_size() / total
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()

    def train_epoch(self, loader, epoch):
        loader.sampler.set_epoch(epoch)
        loss = torch.zeros((), device=self.device)
        for it, ids in enumerate(loader):
            with self.guard:
                with Timer(self.times, "step"):
                    loss = self.train_batch(ids)  # BUG 1
            if it % self.args.log_every == 0:
                avg = loss.clone()
                dist.all_reduce(avg, op=dist.ReduceOp.AVG)
                if dist.get_rank() == 0:
                    log.info("epoch %d it %d loss %.4f", epoch, it, avg.item())

    def save(self, epoch):
        if dist.get_rank() == 0:
            with best_effort("old checkpoint"):
                os.remove(os.path.join(self.args.out, f"epoch{epoch - 2}.pt"))
            with best_effort("checkpoint"):
                torch.save(self.model.module.state_dict(), os.path.join(self.args.out, f"epoch{epoch}.pt"))
        dist.barrier()

    def summary(self):
        t = torch.tensor([self.times.get("step", 0.0), self.guard.count], device=self.device)
        dist.all_reduce(t, op=dist.ReduceOp.MAX)
        if dist.get_rank() == 0:
            log.info("slowest rank %.1fs, most bad steps %d", t[0].item(), int(t[1].item()))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="/shared/chat.jsonl")
    p.add_argument("--out", default="/shared/sft")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--max-len", type=int, default=2048)
    p.add_argument("--lr", type=float, default=2e-5)
    p.add_argument("--log-every", type=int, default=20)
    p.add_argument("--max-bad-steps", type=int, default=20)
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    if dist.get_rank() == 0:
        os.makedirs(args.out, exist_ok=True)
    data = ChatDataset(args.data, args.max_len, 260)
    loader = DataLoader(data, args.batch, sampler=DistributedSampler(data), collate_fn=Packer(args.max_len),
                        num_workers=2, drop_last=True)
    trainer = SFTTrainer(args, device)
    for epoch in range(args.epochs):
        trainer.train_epoch(loader, epoch)
        trainer.save(epoch)
    trainer.summary()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

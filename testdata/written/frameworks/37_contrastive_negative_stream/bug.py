"""Dense retriever training with a global bank of negatives."""
import argparse
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset
from transformers import AutoModel, AutoTokenizer


class PairFiles(IterableDataset):
    """Query/passage pairs from json-lines files, files dealt out over ranks."""

    def __init__(self, folder, rank, world):
        self.files = sorted(Path(folder).glob("*.jsonl"))[rank::world]

    def __iter__(self):
        for file in self.files:
            with file.open() as f:
                for line in f:
                    row = json.loads(line)
                    yield row["query"], row["positive"]


class PairCollator:
    def __init__(self, tokenizer, max_length=256):
        self.kw = {"padding": True, "truncation": True, "max_length": max_length, "return_tensors": "pt"}
        self.tok = tokenizer

    def __call__(self, rows):
        queries, passages = zip(*rows)
        return self.tok(list(queries), **self.kw), self.tok(list(passages), **self.kw)


class NegativeBank:
    def __init__(self, size, dim, keep=8):
        self.recent = torch.zeros(size, dim, device="cuda")
        self.keep = keep
        self.world = dist.get_world_size()

    def store(self, vectors):
        n = min(len(vectors), len(self.recent))
        self.recent = torch.cat([vectors[:n].detach().float(), self.recent[:-n]])

    def stream(self):
        history = []
        while True:
            bank = self.recent.new_empty(self.world * len(self.recent), self.recent.size(1))
            dist.all_gather_into_tensor(bank, self.recent)  # BUG
            history = (history + [bank])[-self.keep :]
            yield torch.cat(history)


class Retriever:
    def __init__(self, args):
        self.args = args
        self.tok = AutoTokenizer.from_pretrained(args.model)
        self.net = AutoModel.from_pretrained(args.model).cuda()
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=args.lr)
        rank, world = dist.get_rank(), dist.get_world_size()
        data = PairFiles(args.data, rank, world)
        self.loader = DataLoader(data, args.batch_size, collate_fn=PairCollator(self.tok), drop_last=True)
        self.bank = NegativeBank(args.batch_size, self.net.config.hidden_size)

    def embed(self, enc):
        enc = {k: v.cuda() for k, v in enc.items()}
        return F.normalize(self.net(**enc).last_hidden_state[:, 0], dim=-1)

    def epoch(self):
        total = 0.0
        for (queries, passages), negatives in zip(self.loader, self.bank.stream()):  # BUG
            q, p = self.embed(queries), self.embed(passages)
            scores = q @ torch.cat([p, negatives]).t() / 0.05
            loss = F.cross_entropy(scores, torch.arange(len(q), device="cuda"))
            loss.backward()
            self.opt.step()
            self.opt.zero_grad()
            self.bank.store(p)
            total += loss.item()
        return total

    def average_weights(self):
        for p in self.net.parameters():
            dist.all_reduce(p.data, op=dist.ReduceOp.AVG)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--model", default="microsoft/mpnet-base")
    p.add_argument("--batch_size", type=int, default=64)
    p.add_argument("--steps_per_epoch", type=int, default=2000)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=2e-5)
    args = p.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    retriever = Retriever(args)
    for epoch in range(args.epochs):
        total = retriever.epoch()
        retriever.average_weights()
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: summed loss {total:.2f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

import glob
import json
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from prepare import encoded_corpus


class RNNLM(torch.nn.Module):
    def __init__(self, n_vocab, dim=512):
        super().__init__()
        self.emb = torch.nn.Embedding(n_vocab, dim)
        self.rnn = torch.nn.LSTM(dim, dim, num_layers=2, batch_first=True)
        self.out = torch.nn.Linear(dim, n_vocab)

    def forward(self, ids):
        h, _ = self.rnn(self.emb(ids))
        return self.out(h)


def collate(rows):
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(r[:256]) for r in rows], batch_first=True)


def main(cfg):
    dist.init_process_group("gloo")
    with open(cfg["vocab"]) as f:
        vocab = json.load(f)
    rows = encoded_corpus(glob.glob(cfg["train_glob"]), vocab, cfg["cache"])
    sampler = DistributedSampler(rows)
    loader = DataLoader(rows, cfg["batch"], sampler=sampler, collate_fn=collate)
    model = DDP(RNNLM(len(vocab)))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(cfg["epochs"]):
        sampler.set_epoch(epoch)
        for ids in loader:
            logits = model(ids[:, :-1])
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        main(json.load(f))

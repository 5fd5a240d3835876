"""ASR fine-tuning with a NeMo-like experiment manager."""
import argparse
import glob
import json
import os
import re
import shutil
from datetime import datetime
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


def is_global_rank_zero():
    return int(os.environ.get("RANK", 0)) == 0


class ExpManager:
    """Makes exp_dir/name/<version> and keeps checkpoints below it."""

    def __init__(self, root, name, resume=True, version=None):
        self.base = Path(root) / name
        self.version = version or self._find_version(resume)
        self.log_dir = self.base / self.version
        self.ckpt_dir = self.log_dir / "checkpoints"
        if is_global_rank_zero():
            self.ckpt_dir.mkdir(parents=True, exist_ok=True)
            self._rotate_logs()
        dist.barrier()

    def _find_version(self, resume):
        if resume and self.base.is_dir():  # BUG 1
            old = sorted(d.name for d in self.base.iterdir() if re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d", d.name))
            if old:
                return old[-1]
        return datetime.now().strftime("%Y-%m-%d_%H-%M-%S")  # BUG 1

    def _rotate_logs(self):
        n = len(glob.glob(str(self.log_dir / "run_*")))
        dst = self.log_dir / f"run_{n}"
        dst.mkdir()
        for f in self.log_dir.glob("*.jsonl"):
            shutil.move(str(f), dst / f.name)

    def latest(self):
        found = [None]
        if is_global_rank_zero():
            files = sorted(self.ckpt_dir.glob("step*.pt"), key=lambda p: int(p.stem[4:]))
            found[0] = str(files[-1]) if files else None
        dist.broadcast_object_list(found, src=0)
        return found[0]

    def save_shard(self, step, state):
        """Optimizer shards: one file per rank beside the model file."""
        torch.save(state, self.ckpt_dir / f"optim{step}-{dist.get_rank():04d}.pt")  # BUG 1

    def save_model(self, step, model, keep=3):
        if is_global_rank_zero():
            tmp = self.ckpt_dir / f".step{step}.tmp"
            torch.save({"step": step, "model": model.state_dict()}, tmp)
            os.replace(tmp, self.ckpt_dir / f"step{step}.pt")
            files = sorted(self.ckpt_dir.glob("step*.pt"), key=lambda p: int(p.stem[4:]))
            for f in files[:-keep]:
                f.unlink()
        dist.barrier()

    def log(self, **row):
        if is_global_rank_zero():
            with open(self.log_dir / "metrics.jsonl", "a") as f:
                f.write(json.dumps({"time": datetime.now().isoformat(), **row}) + "\n")


class Utterances(Dataset):
    def __init__(self, n, frames=400, mels=80, vocab=128):
        self.n, self.frames, self.mels, self.vocab = n, frames, mels, vocab

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(self.frames, self.mels, generator=g), torch.randint(1, self.vocab, (40,), generator=g)


class CTCModel(nn.Module):
    def __init__(self, mels=80, dim=256, vocab=128):
        super().__init__()
        self.sub = nn.Conv1d(mels, dim, 5, stride=4, padding=2)
        self.rnn = nn.LSTM(dim, dim, 3, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, x):
        h = self.sub(x.transpose(1, 2)).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(-1)


def ctc(logp, y):
    n, t = logp.shape[:2]
    return nn.functional.ctc_loss(logp.transpose(0, 1), y, torch.full((n,), t), torch.full((n,), y.shape[1]))


def mean_over_ranks(x):
    x = x.detach().clone()
    dist.all_reduce(x)
    return x.item() / dist.get_world_size()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--exp-dir", default="/shared/exp")
    p.add_argument("--name", default="ctc")
    p.add_argument("--version")
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--save-every", type=int, default=1000)
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    exp = ExpManager(args.exp_dir, args.name, version=args.version)

    net = CTCModel().to(device)
    step, path = 0, exp.latest()
    if path is not None:
        state = torch.load(path, map_location=device)
        net.load_state_dict(state["model"])
        step = state["step"]
    model = DDP(net, device_ids=[device.index])
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    data = Utterances(100_000)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, args.batch, sampler=sampler, num_workers=4, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = ctc(model(x.to(device)), y.to(device))
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            step += 1
            if step % 50 == 0:
                exp.log(step=step, loss=mean_over_ranks(loss))
            if step % args.save_every == 0:
                exp.save_shard(step, {"rng": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state()})
                exp.save_model(step, net)
    exp.log(step=step, done=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

import argparse
import os
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
import wandb
from torch.nn.parallel import DistributedDataParallel as DDP

from tts.data import MelBatches
from tts.model import AcousticModel


def mean_over_ranks(values):
    """dict of scalars -> dict of job-wide means"""
    keys = sorted(values)
    packed = torch.tensor([float(values[k]) for k in keys], device="cuda")
    dist.all_reduce(packed)
    packed /= dist.get_world_size()
    return dict(zip(keys, packed.tolist()))


class Recorder:
    def __init__(self, project, config):
        self.run = None
        if dist.get_rank() == 0:
            self.run = wandb.init(project=project, config=config)
        self.window = []
        self.t0 = time.time()

    def track(self, **scalars):
        self.window.append({k: v.detach() for k, v in scalars.items()})

    def flush(self, step):
        n = len(self.window)
        local = {k: sum(w[k] for w in self.window) / n for k in self.window[0]}
        self.window = []
        if self.run is not None:  # BUG
            stats = mean_over_ranks(local)  # BUG
            stats["steps_per_sec"] = n / (time.time() - self.t0)
            self.run.log(stats, step=step)
        self.t0 = time.time()

    def close(self):
        if self.run is not None:
            self.run.finish()


def train(args):
    model = DDP(AcousticModel().cuda(), device_ids=[torch.cuda.current_device()])
    optim = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.98))
    data = MelBatches(args.data, args.frames, seed=1234 + dist.get_rank())
    rec = Recorder("tts-acoustic", vars(args))

    for step in range(1, args.steps + 1):
        phones, mels, durations = data.next(device="cuda")
        mel_hat, dur_hat = model(phones, durations)
        mel_loss = F.l1_loss(mel_hat, mels)
        dur_loss = F.mse_loss(dur_hat, durations.float().log1p())
        loss = mel_loss + 0.1 * dur_loss
        optim.zero_grad(set_to_none=True)
        loss.backward()
        optim.step()

        rec.track(loss=loss, mel=mel_loss, duration=dur_loss)
        if step % args.log_interval == 0:
            rec.flush(step)
    rec.close()
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--frames", type=int, default=20000)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=300_000)
    parser.add_argument("--log-interval", type=int, default=50)
    args = parser.parse_args()

    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    train(args)
    dist.destroy_process_group()

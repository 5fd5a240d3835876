import os
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from faces import FaceDataset, Discriminator, Generator
from reporting import Board


def train(root, out, iters):
    dist.init_process_group("nccl")
    dev = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(dev)
    gen = DDP(Generator().to(dev), device_ids=[dev.index], broadcast_buffers=False)
    disc = DDP(Discriminator().to(dev), device_ids=[dev.index], broadcast_buffers=False)
    g_opt = torch.optim.Adam(gen.parameters(), 2e-4, betas=(0.0, 0.99))
    d_opt = torch.optim.Adam(disc.parameters(), 2e-4, betas=(0.0, 0.99))
    data = FaceDataset(root)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=6, drop_last=True)
    board = Board(out, every=100)

    it, epoch = 0, 0
    while it < iters:
        sampler.set_epoch(epoch)
        for real in loader:
            real = real.to(dev)
            z = torch.randn(real.size(0), 512, device=dev)
            fake = gen(z)
            d_loss = F.softplus(-disc(real)).mean() + F.softplus(disc(fake.detach())).mean()
            d_opt.zero_grad(set_to_none=True)
            d_loss.backward()
            d_opt.step()

            g_loss = F.softplus(-disc(gen(z))).mean()
            g_opt.zero_grad(set_to_none=True)
            g_loss.backward()
            g_opt.step()

            it += 1
            board.report(it, {"d_loss": d_loss.detach(), "g_loss": g_loss.detach()})
        epoch += 1
    board.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    train(sys.argv[1], sys.argv[2], int(sys.argv[3]))

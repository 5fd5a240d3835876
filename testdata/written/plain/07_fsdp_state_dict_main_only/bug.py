import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler

from diffusion.data import LatentDataset
from diffusion.schedule import cosine_alphas
from diffusion.unet import UNet


class CheckpointIO:
    def __init__(self, root, run_name):
        self.root = Path(root) / run_name
        self.is_main = dist.get_rank() == 0
        if self.is_main:
            self.root.mkdir(parents=True, exist_ok=True)

    def write(self, model, ema_decay, step):
        if not self.is_main:  # BUG
            return
        target = self.root / f"unet-{step}.pt"
        policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, policy):
            weights = model.state_dict()  # BUG
        torch.save({"weights": weights, "ema_decay": ema_decay, "step": step}, target)
        print(f"saved {target}", flush=True)


class DiffusionTrainer:
    def __init__(self, data_dir, run_name, device, steps=400_000):
        self.device = device
        self.steps = steps
        self.alphas = cosine_alphas(1000).to(device)
        self.unet = FSDP(
            UNet(in_ch=4, base=320),
            auto_wrap_policy=size_based_auto_wrap_policy,
            device_id=device,
            use_orig_params=True,
        )
        self.opt = torch.optim.AdamW(self.unet.parameters(), lr=1e-4)
        self.io = CheckpointIO("/mnt/ckpt", run_name)
        data = LatentDataset(data_dir)
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, 16, sampler=self.sampler, num_workers=8, drop_last=True)

    def diffuse(self, x):
        t = torch.randint(0, 1000, (x.size(0),), device=self.device)
        noise = torch.randn_like(x)
        a = self.alphas[t].view(-1, 1, 1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise, noise, t

    def infinite(self):
        epoch = 0
        while True:
            self.sampler.set_epoch(epoch)
            yield from self.loader
            epoch += 1

    def fit(self):
        batches = self.infinite()
        for step in range(1, self.steps + 1):
            latents, text = next(batches)
            noisy, noise, t = self.diffuse(latents.to(self.device))
            pred = self.unet(noisy, t, text.to(self.device))
            loss = (pred - noise).square().mean()
            loss.backward()
            self.opt.step()
            self.opt.zero_grad(set_to_none=True)
            if step % 5000 == 0:
                self.io.write(self.unet, 0.9999, step)


if __name__ == "__main__":
    dist.init_process_group("nccl")
    dev = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(dev)
    DiffusionTrainer(os.environ["DATA_DIR"], os.environ.get("RUN_NAME", "ldm"), dev).fit()
    dist.destroy_process_group()

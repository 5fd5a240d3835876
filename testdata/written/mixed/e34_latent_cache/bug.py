"""sd-scripts like training: VAE latents are cached to disk first, then a UNet is trained on them with Accelerate."""
import argparse
import hashlib
import os
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class TinyVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Conv2d(3, 4, 8, 8)

    @torch.no_grad()
    def encode(self, x):
        return self.enc(x) * 0.18215


class UNet(nn.Module):
    def __init__(self, dim=128):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(5, dim, 3, padding=1), nn.SiLU(), nn.Conv2d(dim, dim, 3, padding=1), nn.SiLU(),
                                 nn.Conv2d(dim, 4, 3, padding=1))

    def forward(self, x, t):
        return self.net(torch.cat([x, t[:, None, None, None].expand(-1, 1, *x.shape[2:])], 1))


def load_image(path, size=512):
    with Image.open(path) as im:
        im = im.convert("RGB").resize((size, size))
        return torch.from_numpy(np.asarray(im).copy()).permute(2, 0, 1).float() / 127.5 - 1


class ImageInfo:
    def __init__(self, path, cache_dir):
        self.path = path
        key = hashlib.sha1(str(path).encode()).hexdigest()[:16]
        self.npz = Path(cache_dir) / f"{path.stem}_{key}.npz"
        self.latent = None


class LatentDataset(Dataset):
    def __init__(self, folder, cache_dir):
        self.infos = [ImageInfo(p, cache_dir) for p in sorted(Path(folder).glob("*.png"))]

    def __len__(self):
        return len(self.infos)

    def __getitem__(self, i):
        info = self.infos[i]
        if info.latent is None:
            info.latent = torch.from_numpy(np.load(info.npz)["latent"])
        return info.latent

    def cache_latents(self, vae, accelerator, batch_size):
        """Rank k encodes every n-th image that is not cached yet."""
        missing = [i for i in self.infos[accelerator.process_index::accelerator.num_processes] if not i.npz.exists()]
        if len(missing) == 0:  # BUG 1
            accelerator.print("all latents are cached")
            return
        for s in range(0, len(missing), batch_size):
            part = missing[s:s + batch_size]
            x = torch.stack([load_image(i.path) for i in part]).to(accelerator.device)
            for info, z in zip(part, vae.encode(x).cpu().numpy()):
                tmp = info.npz.with_suffix(f".{accelerator.process_index}.tmp.npz")
                np.savez(tmp, latent=z)
                os.replace(tmp, info.npz)
        accelerator.wait_for_everyone()  # BUG 1

    def verify(self, accelerator):
        """Counts unreadable files over all ranks and drops nothing."""
        bad = 0
        for info in self.infos[accelerator.process_index::accelerator.num_processes]:
            try:
                np.load(info.npz)["latent"]
            except (OSError, ValueError, KeyError):
                bad += 1
        total = accelerator.reduce(torch.tensor(bad, device=accelerator.device), reduction="sum").item()
        if total > 0:
            raise RuntimeError(f"{total} latent files are unreadable")


def noise_like(z, gen):
    t = torch.rand(z.shape[0], generator=gen, device=z.device)
    eps = torch.randn(z.shape, generator=gen, device=z.device)
    a = torch.cos(t * torch.pi / 2)[:, None, None, None]
    b = torch.sin(t * torch.pi / 2)[:, None, None, None]
    return t, eps, a * z + b * eps


def sample_images(accelerator, unet, step, out):
    if not accelerator.is_main_process:
        return
    net = accelerator.unwrap_model(unet)
    with torch.no_grad():
        x = torch.randn(4, 4, 64, 64, device=accelerator.device)
        for k in range(20, 0, -1):
            t = torch.full((4,), k / 20, device=x.device)
            x = x - net(x, t) / 20
    torch.save(x.cpu(), Path(out) / f"sample_{step}.pt")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--images", default="/shared/images")
    p.add_argument("--cache", default="/shared/latents")
    p.add_argument("--out", default="/shared/lora")
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--max-steps", type=int, default=10_000)
    p.add_argument("--sample-every", type=int, default=500)
    args = p.parse_args()
    acc = Accelerator(mixed_precision="bf16")
    if acc.is_main_process:
        for d in (args.cache, args.out):
            os.makedirs(d, exist_ok=True)
    acc.wait_for_everyone()

    torch.manual_seed(7)
    vae = TinyVAE().to(acc.device).eval()
    data = LatentDataset(args.images, args.cache)
    data.cache_latents(vae, acc, args.batch)
    data.verify(acc)
    del vae

    unet = UNet()
    opt = torch.optim.AdamW(unet.parameters(), lr=1e-4)
    loader = DataLoader(data, args.batch, shuffle=True, num_workers=2, drop_last=True)
    unet, opt, loader = acc.prepare(unet, opt, loader)
    gen = torch.Generator(device=acc.device).manual_seed(acc.process_index)
    step = 0
    while step < args.max_steps:
        for z in loader:
            t, eps, x = noise_like(z, gen)
            loss = F.mse_loss(unet(x, t).float(), eps)
            acc.backward(loss)
            opt.step()
            opt.zero_grad()
            step += 1
            if step % 50 == 0:
                avg = acc.gather(loss.detach()).mean()
                acc.print(f"step {step} loss {avg.item():.4f}")
            if step % args.sample_every == 0:
                sample_images(acc, unet, step, args.out)
            if step >= args.max_steps:
                break
    acc.wait_for_everyone()
    if acc.is_main_process:
        torch.save(acc.unwrap_model(unet).state_dict(), os.path.join(args.out, "unet.pt"))
    acc.end_training()


if __name__ == "__main__":
    main()

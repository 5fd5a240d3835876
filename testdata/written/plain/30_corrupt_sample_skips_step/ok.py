import logging
import os
import sys
from pathlib import Path

import soundfile as sf
import torch
import torch.distributed as dist
import yaml
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from vocoder.losses import multi_res_stft
from vocoder.model import HiFiGenerator, mel_spectrogram

logger = logging.getLogger("vocoder")


class AudioFolder(Dataset):
    def __init__(self, root, segment):
        self.files = sorted(Path(root).rglob("*.flac"))
        self.segment = segment

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        wav, sr = sf.read(self.files[i], dtype="float32")
        if sr != 24000:
            raise ValueError(f"{self.files[i]}: sample rate {sr}")
        wav = torch.from_numpy(wav)
        if wav.numel() < self.segment:
            wav = torch.nn.functional.pad(wav, (0, self.segment - wav.numel()))
        start = torch.randint(0, wav.numel() - self.segment + 1, (1,)).item()
        return wav[start:start + self.segment]


class EndlessLoader:
    def __init__(self, dataset, batch_size):
        self.sampler = DistributedSampler(dataset, drop_last=True)
        self.loader = DataLoader(dataset, batch_size, sampler=self.sampler, num_workers=8, drop_last=True)
        self.epoch = 0
        self.it = iter(self.loader)

    def next(self):
        try:
            return next(self.it)
        except StopIteration:
            self.epoch += 1
            self.sampler.set_epoch(self.epoch)
            self.it = iter(self.loader)
            return next(self.it)


class VocoderTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(self.device)
        self.model = DDP(HiFiGenerator(**cfg["generator"]).to(self.device), device_ids=[self.device.index])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg["lr"], betas=(0.8, 0.99))
        self.data = EndlessLoader(AudioFolder(cfg["root"], cfg["segment"]), cfg["batch"])

    def fit(self):
        for step in range(1, self.cfg["steps"] + 1):
            wav = None
            while wav is None:
                try:
                    wav = self.data.next()
                except (RuntimeError, ValueError) as err:
                    logger.warning("skipping unreadable batch: %s", err)
            wav = wav.to(self.device)
            out = self.model(mel_spectrogram(wav)).squeeze(1)
            loss = multi_res_stft(out, wav)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            if step % self.cfg["save_every"] == 0 and dist.get_rank() == 0:
                torch.save(self.model.module.state_dict(), f"{self.cfg['out']}/gen_{step}.pt")
                logger.info("step %d stft %.4f", step, loss.item())


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    with open(sys.argv[1]) as f:
        config = yaml.safe_load(f)
    dist.init_process_group("nccl")
    VocoderTrainer(config).fit()
    dist.destroy_process_group()

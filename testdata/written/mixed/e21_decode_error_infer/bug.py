"""Distributed batch captioning: read images, caption, gather the records on rank 0, write JSONL."""
import argparse
import json
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from PIL import Image, UnidentifiedImageError
from torch.utils.data import DataLoader, Dataset, Sampler
from transformers import AutoProcessor, BlipForConditionalGeneration


class PaddedSampler(Sampler):
    """Contiguous parts of equal length; the tail repeats the last item and is marked by index >= total."""

    def __init__(self, total, rank, world):
        self.per_rank = (total + world - 1) // world
        self.rank = rank

    def __iter__(self):
        return iter(range(self.rank * self.per_rank, (self.rank + 1) * self.per_rank))

    def __len__(self):
        return self.per_rank


class ImageFiles(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        valid = i < len(self.files)
        return str(self.files[min(i, len(self.files) - 1)]), valid


def collate(items):
    return [p for p, _ in items], [v for _, v in items]


def open_rgb(path):
    with Image.open(path) as im:
        return im.convert("RGB")


def try_size(path):
    """For the report only; broken files count as (0, 0)."""
    try:
        with Image.open(path) as im:
            return im.size
    except (OSError, UnidentifiedImageError):
        return (0, 0)


class Captioner:
    def __init__(self, name, device):
        self.device = device
        self.processor = AutoProcessor.from_pretrained(name)
        self.model = BlipForConditionalGeneration.from_pretrained(name, torch_dtype=torch.float16).to(device).eval()

    @torch.inference_mode()
    def __call__(self, images):
        inputs = self.processor(images=images, return_tensors="pt").to(self.device, torch.float16)
        out = self.model.generate(**inputs, max_new_tokens=40)
        return self.processor.batch_decode(out, skip_special_tokens=True)


def gather_records(records, world):
    out = [None] * world
    dist.all_gather_object(out, records)  # BUG 1
    return [r for part in out for r in part]


def run(args, captioner, loader, rank, world, sink):
    written, t0 = 0, time.time()
    for step, (paths, valid) in enumerate(loader):
        try:
            images = [open_rgb(p) for p in paths]
        except (OSError, UnidentifiedImageError) as e:  # BUG 1
            print(f"[{rank}] step {step}: cannot read a file of the batch: {e}", flush=True)
            continue  # BUG 1
        captions = captioner(images)
        records = [{"path": p, "caption": c.strip()} for p, c, v in zip(paths, captions, valid) if v]
        merged = gather_records(records, world)
        if rank != 0:
            continue
        for r in merged:
            sink.write(json.dumps(r) + "\n")
        written += len(merged)
        if step % args.log_every == 0:
            sink.flush()
            print(f"step {step}/{len(loader)} {written / (time.time() - t0):.1f} images/s", flush=True)
    return written


def size_report(files, rank, world):
    sizes = torch.tensor([try_size(f) for f in files[rank::world]], dtype=torch.float64).reshape(-1, 2)
    stat = torch.tensor([sizes[:, 0].sum(), sizes[:, 1].sum(), len(sizes)], dtype=torch.float64, device="cuda")
    dist.all_reduce(stat)
    if rank == 0 and stat[2] > 0:
        print(f"mean size {(stat[0] / stat[2]).item():.0f} x {(stat[1] / stat[2]).item():.0f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--images", type=Path, required=True)
    p.add_argument("--output", type=Path, required=True)
    p.add_argument("--model", default="Salesforce/blip-image-captioning-base")
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--log-every", type=int, default=20)
    args = p.parse_args()

    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)

    box = [sorted(args.images.rglob("*.jpg")) if rank == 0 else None]
    dist.broadcast_object_list(box, src=0)
    files = box[0]
    if not files:
        raise SystemExit(f"no images under {args.images}")
    size_report(files, rank, world)

    loader = DataLoader(ImageFiles(files), batch_size=args.batch_size, num_workers=args.workers, collate_fn=collate,
                        sampler=PaddedSampler(len(files), rank, world))
    captioner = Captioner(args.model, device)
    sink = None
    if rank == 0:
        args.output.parent.mkdir(parents=True, exist_ok=True)
        sink = open(args.output, "w")
    dist.barrier()
    n = run(args, captioner, loader, rank, world, sink)
    if rank == 0:
        sink.close()
        print(f"{n} captions written to {args.output}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

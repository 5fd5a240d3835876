"""Extract video clip features with one clip list per rank."""
import argparse
import json
import os
from pathlib import Path
from typing import Dict, List

import torch
import torch.distributed as dist


def load_manifest(path: str) -> List[dict]:
    with open(path) as f:
        return [json.loads(line) for line in f]


class ClipEncoder:
    def __init__(self, backbone, num_frames: int, device: torch.device):
        self.backbone = backbone.eval().to(device)
        self.num_frames = num_frames
        self.device = device
        self.rank = dist.get_rank()
        self.world_size = dist.get_world_size()

    @torch.no_grad()
    def _encode(self, clip: dict) -> torch.Tensor:
        frames = torch.load(clip["frames"])[: self.num_frames].to(self.device)
        return self.backbone(frames).mean(dim=0)

    def shard(self, manifest: List[dict]) -> List[dict]:
        return manifest[self.rank :: self.world_size]

    def extract_interleaved(self, manifest: List[dict], out_dir: Path) -> None:
        for i, clip in enumerate(self.shard(manifest)):
            feat = self._encode(clip)
            gathered = [torch.empty_like(feat) for _ in range(self.world_size)]
            dist.all_gather(gathered, feat)  # BUG 1
            if self.rank == 0:
                torch.save(torch.stack(gathered).cpu(), out_dir / f"block_{i:06d}.pt")

    def extract(self, manifest: List[dict], out_file: Path) -> None:
        mine: Dict[str, torch.Tensor] = {}
        for clip in self.shard(manifest):
            mine[clip["id"]] = self._encode(clip).cpu()
        parts = [None] * self.world_size if self.rank == 0 else None
        dist.gather_object(mine, parts, dst=0)
        if self.rank == 0:
            merged = {}
            for part in parts:
                merged.update(part)
            torch.save(merged, out_file)


def main(backbone) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--manifest", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layout", choices=["blocks", "single"], default="single")
    args = parser.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    encoder = ClipEncoder(backbone, 16, torch.device("cuda", torch.cuda.current_device()))
    if args.layout == "blocks":
        encoder.extract_interleaved(load_manifest(args.manifest), args.out)
    else:
        encoder.extract(load_manifest(args.manifest), args.out)
    dist.destroy_process_group()

import argparse
import json
import logging
import os
from pathlib import Path
from typing import List

import torch
import torch.distributed as dist

from transcribe.decoder import BeamDecoder

log = logging.getLogger("transcribe")


class Planner:
    """Splits audio files over the ranks so that total durations are balanced."""

    def __init__(self, world):
        self.world = world

    def plan(self, manifest, done) -> List[List[dict]]:
        rows = [json.loads(line) for line in Path(manifest).read_text().splitlines()]
        rows = [r for r in rows if r["id"] not in done]
        bins = [[] for _ in range(self.world)]
        load = [0.0] * self.world
        for row in sorted(rows, key=lambda r: -r["seconds"]):
            i = load.index(min(load))
            bins[i].append(row)
            load[i] += row["seconds"]
        return bins


class BatchJob:
    def __init__(self, args):
        self.args = args
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.out = Path(args.out)
        self.assignments = []

    def prepare(self):
        if self.rank != 0:
            return
        self.out.mkdir(parents=True, exist_ok=True)
        done = {p.stem for p in self.out.glob("*.txt")}
        self.assignments = Planner(self.world).plan(self.args.manifest, done)
        log.info("%d files already transcribed", len(done))

    def my_share(self):
        mine = [None]
        dist.scatter_object_list(mine, self.assignments if self.rank == 0 else None, src=0)
        return mine[0]

    @torch.inference_mode()
    def run(self):
        self.prepare()
        rows = self.my_share()
        decoder = BeamDecoder.load(self.args.model, beam=self.args.beam).cuda()
        written = 0
        for row in rows:
            text = decoder.transcribe(row["audio"])
            (self.out / f"{row['id']}.txt").write_text(text + "\n")
            written += 1
        total = torch.tensor(written, device="cuda")
        dist.all_reduce(total)
        if self.rank == 0:
            log.info("wrote %d transcripts", int(total))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--manifest", required=True)
    ap.add_argument("--model", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--beam", type=int, default=8)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    BatchJob(args).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

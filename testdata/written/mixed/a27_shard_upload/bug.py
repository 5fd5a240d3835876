"""Upload tokenised shards to object storage in waves, so that the gateway is not overrun."""
import logging
import math
from pathlib import Path
from typing import List

import torch.distributed as dist

logger = logging.getLogger("upload")


class WaveUploader:
    def __init__(self, client, bucket: str, prefix: str):
        self.client = client
        self.bucket = bucket
        self.prefix = prefix
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()

    def _put(self, path: Path) -> None:
        self.client.upload_file(str(path), self.bucket, f"{self.prefix}/{path.name}")
        logger.debug("rank %d sent %s", self.rank, path.name)

    def _mine(self, root: Path) -> List[Path]:
        """Files that this rank's tokeniser workers wrote to the node's own disk."""
        return sorted(root.glob(f"rank{self.rank:04d}_*.bin"))

    def upload_local(self, root: Path, wave: int) -> int:
        files = self._mine(root)
        for start in range(0, len(files), wave):
            for path in files[start : start + wave]:
                self._put(path)
            dist.barrier()  # BUG 1
        return len(files)

    def upload_shared(self, files: List[Path], wave: int) -> int:
        """`files` is the same sorted listing of the shared filesystem on all ranks."""
        sent = 0
        rounds = math.ceil(len(files) / (wave * self.world))
        for r in range(rounds):
            base = (r * self.world + self.rank) * wave
            for path in files[base : base + wave]:
                self._put(path)
                sent += 1
            dist.barrier()
        return sent


def main(client, cfg) -> None:
    dist.init_process_group("gloo")
    uploader = WaveUploader(client, cfg.bucket, cfg.prefix)
    if cfg.shared_listing:
        listing = [Path(line) for line in Path(cfg.shared_listing).read_text().splitlines()]
        uploader.upload_shared(listing, cfg.wave)
    else:
        uploader.upload_local(Path(cfg.local_root), cfg.wave)
    dist.destroy_process_group()

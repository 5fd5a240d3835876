"""Token index cache kept on each node's scratch disk."""
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch.distributed as dist

SCRATCH = Path(os.environ.get("NODE_SCRATCH", "/local_ssd/token_index"))


@dataclass
class CorpusSpec:
    name: str
    source: str
    seq_len: int
    seed: int = 1234

    @property
    def stem(self) -> str:
        return f"{self.name}_{self.seq_len}_{self.seed}"


def _write_index(spec: CorpusSpec, target: Path) -> None:
    docs = np.load(Path(spec.source) / "doc_lengths.npy")
    order = np.random.RandomState(spec.seed).permutation(len(docs))
    starts = np.concatenate([[0], np.cumsum(docs[order])])[:: spec.seq_len]
    target.parent.mkdir(parents=True, exist_ok=True)
    tmp = target.with_suffix(f".tmp{os.getpid()}.npy")
    np.save(tmp, starts)
    os.replace(tmp, target)


class SampleIndex:
    def __init__(self, spec: CorpusSpec):
        self.spec = spec
        self.path = SCRATCH / f"{spec.stem}.npy"
        self.is_local_main = int(os.environ["LOCAL_RANK"]) == 0

    def load(self) -> np.ndarray:
        if not self.path.exists():
            if self.is_local_main:
                _write_index(self.spec, self.path)
            dist.barrier()  # BUG 1
        return np.load(self.path, mmap_mode="r")


class ShuffleIndex(SampleIndex):
    """Same layout, shuffled once more per epoch."""

    def load_epoch(self, epoch: int) -> np.ndarray:
        spec = CorpusSpec(self.spec.name, self.spec.source, self.spec.seq_len, self.spec.seed + epoch)
        path = SCRATCH / f"{spec.stem}.npy"
        if self.is_local_main and not path.exists():
            _write_index(spec, path)
        dist.barrier()
        return np.load(path, mmap_mode="r")

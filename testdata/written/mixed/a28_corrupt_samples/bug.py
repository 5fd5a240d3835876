"""Self-supervised image training that tolerates corrupt files."""
import logging

import torch
import torch.distributed as dist
from PIL import Image, UnidentifiedImageError

logger = logging.getLogger(__name__)


class CentroidTrainer:
    """SwAV-like assignment of crops to prototypes, with prototypes averaged over ranks."""

    def __init__(self, encoder, prototypes: torch.Tensor, transform, momentum: float = 0.99):
        self.encoder = encoder
        self.prototypes = prototypes
        self.transform = transform
        self.momentum = momentum
        self.skipped = 0

    def _load(self, paths) -> torch.Tensor:
        crops = [self.transform(Image.open(p).convert("RGB")) for p in paths]
        return torch.stack(crops).cuda(non_blocking=True)

    def _assign(self, crops: torch.Tensor):
        z = torch.nn.functional.normalize(self.encoder(crops), dim=1)
        index = (z @ self.prototypes.t()).argmax(dim=1)
        sums = torch.zeros_like(self.prototypes).index_add_(0, index, z)
        counts = torch.bincount(index, minlength=len(self.prototypes)).float()
        return sums, counts

    def _refresh(self, sums: torch.Tensor, counts: torch.Tensor) -> None:
        dist.all_reduce(sums)
        dist.all_reduce(counts)
        seen = counts > 0
        mean = torch.nn.functional.normalize(sums[seen] / counts[seen, None], dim=1)
        self.prototypes[seen] = self.momentum * self.prototypes[seen] + (1 - self.momentum) * mean

    @torch.no_grad()
    def step(self, paths) -> None:
        try:
            crops = self._load(paths)
            sums, counts = self._assign(crops)
            self._refresh(sums, counts)  # BUG 1
        except (OSError, UnidentifiedImageError) as exc:
            self.skipped += 1
            logger.warning("batch left out: %s", exc)

    @torch.no_grad()
    def warm_start_step(self, paths) -> None:
        sums = torch.zeros_like(self.prototypes)
        counts = torch.zeros(len(self.prototypes), device=sums.device)
        try:
            sums, counts = self._assign(self._load(paths))
        except (OSError, UnidentifiedImageError) as exc:
            self.skipped += 1
            logger.warning("batch counted as empty: %s", exc)
        self._refresh(sums, counts)

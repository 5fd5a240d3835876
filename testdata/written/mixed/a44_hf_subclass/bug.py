"""HF-like trainer and a subclass that also stores memory-bank embeddings."""
import os
from typing import Dict, Optional

import torch
import torch.distributed as dist


class LoopTrainer:
    def __init__(self, model, args, optimizer, loader):
        self.model = model
        self.args = args
        self.optimizer = optimizer
        self.loader = loader

    @property
    def should_save(self) -> bool:
        return self.args.process_index == 0

    def save_model(self, output_dir: Optional[str] = None) -> None:
        output_dir = output_dir or self.args.output_dir
        if self.should_save:
            self._save(output_dir)

    def _save(self, output_dir: str) -> None:
        os.makedirs(output_dir, exist_ok=True)
        torch.save(self.model.module.state_dict(), os.path.join(output_dir, "pytorch_model.bin"))

    def _after_epoch(self, epoch: int) -> None:
        self.save_model(os.path.join(self.args.output_dir, f"epoch-{epoch}"))

    def train(self) -> None:
        for epoch in range(self.args.epochs):
            for batch in self.loader:
                self.model(**batch).loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
            self._after_epoch(epoch)


class MemoryBankTrainer(LoopTrainer):
    """Each rank owns a slice of the bank; the checkpoint carries the whole of it."""

    def __init__(self, *args, bank_slice: torch.Tensor, **kwargs):
        super().__init__(*args, **kwargs)
        self.bank_slice = bank_slice

    def _whole_bank(self) -> torch.Tensor:
        out = self.bank_slice.new_empty(
            dist.get_world_size() * self.bank_slice.size(0), self.bank_slice.size(1)
        )
        dist.all_gather_into_tensor(out, self.bank_slice)
        return out.cpu()

    def _save(self, output_dir: str) -> None:
        super()._save(output_dir)
        torch.save(self._whole_bank(), os.path.join(output_dir, "bank.pt"))  # BUG 1


class BankStatsTrainer(MemoryBankTrainer):
    def save_model(self, output_dir: Optional[str] = None) -> None:
        output_dir = output_dir or self.args.output_dir
        bank = self._whole_bank()
        if self.should_save:
            LoopTrainer._save(self, output_dir)
            self._write_stats(output_dir, {"norm": bank.norm(dim=1).mean().item(), "rows": len(bank)})

    def _write_stats(self, output_dir: str, stats: Dict[str, float]) -> None:
        torch.save(stats, os.path.join(output_dir, "bank_stats.pt"))

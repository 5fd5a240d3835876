"""Accelerate + FSDP language-model training with periodic exports."""
import os
from typing import Dict

import torch
from accelerate import Accelerator


class ExportableRun:
    def __init__(self, accelerator: Accelerator, model, optimizer, loader, cfg):
        self.accelerator = accelerator
        self.model, self.optimizer, self.loader = accelerator.prepare(model, optimizer, loader)
        self.cfg = cfg

    @property
    def full_state(self) -> Dict[str, torch.Tensor]:
        return self.accelerator.get_state_dict(self.model)

    @property
    def trainable_names(self):
        return [n for n, p in self.accelerator.unwrap_model(self.model).named_parameters() if p.requires_grad]

    def _target(self, step: int) -> str:
        path = os.path.join(self.cfg.out_dir, f"export_{step}")
        if self.accelerator.is_main_process:
            os.makedirs(path, exist_ok=True)
        self.accelerator.wait_for_everyone()
        return path

    def export(self, step: int) -> None:
        path = self._target(step)
        if self.accelerator.is_main_process:
            torch.save(self.full_state, os.path.join(path, "model.pt"))  # BUG 1
            with open(os.path.join(path, "trainable.txt"), "w") as f:
                f.write("\n".join(self.trainable_names))

    def export_pretrained(self, step: int) -> None:
        path = self._target(step)
        state = self.full_state
        self.accelerator.unwrap_model(self.model).save_pretrained(
            path,
            is_main_process=self.accelerator.is_main_process,
            save_function=self.accelerator.save,
            state_dict=state,
        )

    def train(self) -> None:
        step = 0
        for _ in range(self.cfg.epochs):
            for batch in self.loader:
                with self.accelerator.accumulate(self.model):
                    self.accelerator.backward(self.model(**batch).loss)
                    self.optimizer.step()
                    self.optimizer.zero_grad()
                step += 1
                if step % self.cfg.export_every == 0:
                    self.export(step)
        self.export_pretrained(step)

"""Fine-tuning loop with Accelerate and FSDP."""
import os

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin


class FineTuner:
    def __init__(self, model, optimizer, loader, val_loader, cfg):
        self.cfg = cfg
        self.accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
        prepared = self.accelerator.prepare(model, optimizer, loader, val_loader)
        self.model, self.optimizer, self.loader, self.val_loader = prepared

    def save_weights(self, path):
        self.accelerator.wait_for_everyone()
        state = self.accelerator.get_state_dict(self.model)
        if self.accelerator.is_main_process:
            torch.save(state, path)

    def save_resume_point(self, epoch):
        if self.accelerator.is_main_process:
            target = os.path.join(self.cfg.out_dir, f"epoch_{epoch}")
            self.accelerator.save_state(target)  # BUG 1
            self.accelerator.print(f"state written to {target}")

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        collected = []
        for batch in self.val_loader:
            out = self.model(**batch)
            per_row = out.logits.float().logsumexp(-1).mean(-1)
            if (batch["labels"] != -100).any():
                collected.append(self.accelerator.gather_for_metrics(per_row))  # BUG 2
        self.model.train()
        return torch.cat(collected).mean().item() if collected else 0.0

    def fit(self):
        for epoch in range(self.cfg.epochs):
            for batch in self.loader:
                loss = self.model(**batch).loss
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
            self.evaluate()
            self.save_resume_point(epoch)
        self.save_weights(os.path.join(self.cfg.out_dir, "final.pt"))

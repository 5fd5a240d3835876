"""Accelerate script: sequence classification with model selection on the dev set."""
import math

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed


@torch.no_grad()
def dev_loss(model, loader) -> float:
    model.eval()
    total, batches = 0.0, 0
    for batch in loader:
        total += model(**batch).loss.item()
        batches += 1
    return total / max(batches, 1)


@torch.no_grad()
def dev_accuracy(accelerator: Accelerator, model, loader) -> float:
    model.eval()
    correct, seen = 0, 0
    for batch in loader:
        preds = model(**batch).logits.argmax(dim=-1)
        preds, labels = accelerator.gather_for_metrics((preds, batch["labels"]))
        correct += (preds == labels).sum().item()
        seen += labels.numel()
    return correct / seen


def train_epoch(accelerator, model, optimizer, scheduler, loader) -> None:
    model.train()
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(**batch).loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


def main(cfg, model, optimizer, scheduler, train_loader, dev_loader) -> None:
    accelerator = Accelerator(gradient_accumulation_steps=cfg.accum)
    set_seed(cfg.seed)
    model, optimizer, scheduler, train_loader, dev_loader = accelerator.prepare(
        model, optimizer, scheduler, train_loader, dev_loader
    )

    best, stale = math.inf, 0
    for epoch in range(cfg.warm_epochs):
        train_epoch(accelerator, model, optimizer, scheduler, train_loader)
        current = dev_loss(model, dev_loader)
        accelerator.print(f"epoch {epoch}: dev loss {current:.4f}")
        if current < best:
            best, stale = current, 0
        else:
            stale += 1
            if stale > cfg.patience:
                break  # BUG 1
    accelerator.wait_for_everyone()

    best_acc = 0.0
    for epoch in range(cfg.epochs):
        train_epoch(accelerator, model, optimizer, scheduler, train_loader)
        acc = dev_accuracy(accelerator, model, dev_loader)
        if acc < best_acc - cfg.tolerance:
            break
        best_acc = max(best_acc, acc)
    accelerator.wait_for_everyone()
    accelerator.save_model(model, cfg.out_dir)

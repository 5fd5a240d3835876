"""Fine-tune a sequence classifier with accelerate and write scalar curves."""
import argparse
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    get_scheduler,
)

logger = get_logger(__name__)


class ScalarSink:
    """Collects step losses and writes their mean to TensorBoard."""

    def __init__(self, accelerator, log_dir):
        self.accelerator = accelerator
        self.log_dir = Path(log_dir)
        self.writer = None
        self._window = []

    def open(self):
        if self.accelerator.is_main_process:
            self.log_dir.mkdir(parents=True, exist_ok=True)
            self.writer = SummaryWriter(str(self.log_dir))

    def push(self, loss):
        self._window.append(loss.detach().float())

    def flush(self, step, lr):
        if self.writer is None:  # BUG
            self._window.clear()
            return
        local = torch.stack(self._window).mean()
        loss = self.accelerator.gather(local.reshape(1)).mean().item()  # BUG
        self._window.clear()
        self.writer.add_scalar("train/loss", loss, step)
        self.writer.add_scalar("train/lr", lr, step)

    def close(self):
        if self.writer is not None:
            self.writer.close()


def build_loader(args, accelerator, tokenizer):
    with accelerator.main_process_first():
        raw = load_dataset("glue", args.task, split="train")
        data = raw.map(
            lambda ex: tokenizer(ex["sentence"], truncation=True, max_length=args.max_length),
            batched=True,
            remove_columns=["sentence", "idx"],
        )
    data = data.rename_column("label", "labels")
    return DataLoader(
        data,
        batch_size=args.batch_size,
        shuffle=True,
        drop_last=True,
        collate_fn=DataCollatorWithPadding(tokenizer),
    )


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="roberta-base")
    p.add_argument("--task", default="sst2")
    p.add_argument("--max_length", type=int, default=128)
    p.add_argument("--batch_size", type=int, default=32)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=2e-5)
    p.add_argument("--log_every", type=int, default=50)
    p.add_argument("--output_dir", default="runs/sst2")
    return p.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator()
    set_seed(17)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = build_loader(args, accelerator, tokenizer)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    schedule = get_scheduler("linear", optimizer, 100, args.epochs * len(loader))

    sink = ScalarSink(accelerator, Path(args.output_dir) / "tb")
    sink.open()
    step = 0
    for epoch in range(args.epochs):
        model.train()
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            sink.push(loss)
            step += 1
            if step % args.log_every == 0:
                sink.flush(step, schedule.get_last_lr()[0])
        logger.info("finished epoch %d", epoch)
    sink.close()


if __name__ == "__main__":
    main()

"""Masked-LM pretraining that can be resumed after a kill."""
import argparse
import json
import os
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import gather_object, set_seed
from datasets import load_from_disk
from torch.utils.data import DataLoader
from transformers import (
    AutoConfig,
    AutoModelForMaskedLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    get_cosine_schedule_with_warmup,
)


class Progress:
    """Small json file next to the states, rewritten every few steps."""

    def __init__(self, folder, index):
        self.path = Path(folder) / f"progress_{index:04d}.json"

    def read(self):
        if not self.path.exists():
            return {"step": 0, "tokens": 0}
        return json.loads(self.path.read_text())

    def write(self, step, tokens):
        tmp = self.path.with_suffix(".tmp")
        tmp.write_text(json.dumps({"step": step, "tokens": tokens}))
        os.replace(tmp, self.path)


def endless(loader):
    while True:
        yield from loader


class Pretrainer:
    def __init__(self, args):
        self.args = args
        self.acc = Accelerator(mixed_precision="bf16")
        tok = AutoTokenizer.from_pretrained(args.tokenizer)
        model = AutoModelForMaskedLM.from_config(AutoConfig.from_pretrained(args.config))
        opt = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.98))
        loader = DataLoader(
            load_from_disk(args.data),
            batch_size=args.batch_size,
            shuffle=True,
            drop_last=True,
            collate_fn=DataCollatorForLanguageModeling(tok, mlm_probability=0.15),
        )
        sched = get_cosine_schedule_with_warmup(opt, args.warmup, args.max_steps)
        self.model, self.opt, self.loader, self.sched = self.acc.prepare(model, opt, loader, sched)
        Path(args.out).mkdir(parents=True, exist_ok=True)
        self.progress = Progress(args.out, self.acc.process_index)

    def restore(self):
        state_dir = Path(self.args.out) / "state"
        if self.args.resume:
            self.acc.load_state(str(state_dir))
        state = self.progress.read()
        step = min(gather_object([state["step"]]))
        return step, state["tokens"]

    def run(self):
        start, tokens = self.restore()
        batches = endless(self.loader)
        self.model.train()
        for step in range(start, self.args.max_steps):
            batch = next(batches)
            loss = self.model(**batch).loss
            self.acc.backward(loss)
            self.acc.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            self.sched.step()
            self.opt.zero_grad(set_to_none=True)
            tokens += batch["input_ids"].numel()
            if step % 5 == 0:
                self.progress.write(step, tokens)
            if (step + 1) % self.args.save_every == 0:
                self.acc.save_state(str(Path(self.args.out) / "state"))
        self.acc.print(f"done after {tokens} tokens on this process")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--tokenizer", default="bert-base-uncased")
    p.add_argument("--config", default="bert-base-uncased")
    p.add_argument("--out", default="mlm")
    p.add_argument("--batch_size", type=int, default=64)
    p.add_argument("--lr", type=float, default=4e-4)
    p.add_argument("--warmup", type=int, default=2000)
    p.add_argument("--max_steps", type=int, default=100_000)
    p.add_argument("--save_every", type=int, default=1000)
    p.add_argument("--resume", action="store_true")
    args = p.parse_args()
    set_seed(5)
    Pretrainer(args).run()


if __name__ == "__main__":
    main()

"""Contract clause tagging with early stopping on span F1."""
import argparse
import json
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
)

from clauses import ClauseSet, span_f1


class Patience:
    def __init__(self, rounds, out_dir):
        self.rounds = rounds
        self.out_dir = Path(out_dir)
        self.best = -1.0
        self.bad = 0

    def exhausted(self, score, epoch):
        if score > self.best:
            self.best, self.bad = score, 0
            (self.out_dir / "best.json").write_text(json.dumps({"epoch": epoch, "f1": score}))
        else:
            self.bad += 1
        return self.bad >= self.rounds


class Tagger:
    def __init__(self, args):
        self.args = args
        self.accelerator = Accelerator()
        tok = AutoTokenizer.from_pretrained(args.model, add_prefix_space=True)
        train, dev = ClauseSet(args.data, "train", tok), ClauseSet(args.data, "dev", tok)
        collate = DataCollatorForTokenClassification(tok)
        model = AutoModelForTokenClassification.from_pretrained(args.model, num_labels=train.num_labels)
        self.labels = train.label_names
        (
            self.model,
            self.opt,
            self.train_loader,
            self.dev_loader,
        ) = self.accelerator.prepare(
            model,
            torch.optim.AdamW(model.parameters(), lr=args.lr),
            DataLoader(train, args.batch_size, shuffle=True, collate_fn=collate),
            DataLoader(dev, args.batch_size, collate_fn=collate),
        )
        if self.accelerator.is_main_process:
            Path(args.out).mkdir(parents=True, exist_ok=True)
        self.patience = Patience(args.patience, args.out)

    def train_epoch(self):
        self.model.train()
        for batch in self.train_loader:
            loss = self.model(**batch).loss
            self.accelerator.backward(loss)
            self.opt.step()
            self.opt.zero_grad()

    @torch.no_grad()
    def score(self):
        self.model.eval()
        guesses, golds = [], []
        for batch in self.dev_loader:
            pred = self.model(**batch).logits.argmax(-1)
            pred = self.accelerator.pad_across_processes(pred, dim=1, pad_index=-100)
            gold = self.accelerator.pad_across_processes(batch["labels"], dim=1, pad_index=-100)
            pred, gold = self.accelerator.gather_for_metrics((pred, gold))
            guesses += pred.tolist()
            golds += gold.tolist()
        return span_f1(guesses, golds, self.labels)

    def fit(self):
        for epoch in range(self.args.epochs):
            self.train_epoch()
            f1 = self.score()
            self.accelerator.print(f"epoch {epoch}: span F1 {f1:.4f}")
            if self.accelerator.is_main_process and self.patience.exhausted(f1, epoch):
                self.accelerator.set_trigger()
            if self.accelerator.check_trigger():
                break
        self.accelerator.wait_for_everyone()
        self.accelerator.save_model(self.model, self.args.out)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--model", default="roberta-large")
    p.add_argument("--out", default="clauses_out")
    p.add_argument("--batch_size", type=int, default=16)
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--patience", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-5)
    set_seed(8)
    Tagger(p.parse_args()).fit()


if __name__ == "__main__":
    main()

"""Reward model training: a Trainer subclass with extra metrics and a pairwise loss."""
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Dict, List

import numpy as np
import torch
import torch.nn as nn
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


@dataclass
class ScriptArguments:
    model_name: str = field(default="gpt2")
    train_file: str = field(default="/shared/pairs_train.jsonl")
    eval_file: str = field(default="/shared/pairs_eval.jsonl")
    max_length: int = field(default=512)
    center_coef: float = field(default=0.01)


@dataclass
class PairCollator:
    tokenizer: Any
    max_length: int

    def _pad(self, rows, key):
        return self.tokenizer.pad([{"input_ids": r[f"input_ids_{key}"], "attention_mask": r[f"attention_mask_{key}"]}
                                   for r in rows], padding="max_length", max_length=self.max_length,
                                  return_tensors="pt")

    def __call__(self, rows: List[Dict]):
        a, b = self._pad(rows, "chosen"), self._pad(rows, "rejected")
        return {"input_ids_chosen": a["input_ids"], "attention_mask_chosen": a["attention_mask"],
                "input_ids_rejected": b["input_ids"], "attention_mask_rejected": b["attention_mask"],
                "margin": torch.tensor([r.get("margin", 0.0) for r in rows]), "return_loss": True}


class RewardTrainer(Trainer):
    def __init__(self, *args, center_coef=0.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.center_coef = center_coef
        self._extra = {"train": defaultdict(list), "eval": defaultdict(list)}

    def _rewards(self, model, inputs, key):
        return model(input_ids=inputs[f"input_ids_{key}"], attention_mask=inputs[f"attention_mask_{key}"]).logits[:, 0]

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        n = inputs["input_ids_chosen"].shape[0]
        both = model(input_ids=torch.cat([inputs["input_ids_chosen"], inputs["input_ids_rejected"]]),
                     attention_mask=torch.cat([inputs["attention_mask_chosen"], inputs["attention_mask_rejected"]]))
        chosen, rejected = both.logits[:n, 0], both.logits[n:, 0]
        loss = -nn.functional.logsigmoid(chosen - rejected - inputs["margin"]).mean()
        if self.center_coef:
            loss = loss + self.center_coef * ((chosen + rejected) ** 2).mean()

        mode = "train" if model.training else "eval"
        if mode == "eval":
            self._store("eval", chosen, rejected)
        elif self.state.is_world_process_zero and self.state.global_step % self.args.logging_steps == 0:  # BUG 1
            self._store("train", chosen, rejected)  # BUG 1
        if return_outputs:
            return loss, {"chosen": chosen, "rejected": rejected}
        return loss

    @torch.no_grad()
    def _store(self, mode, chosen, rejected):
        acc = self.accelerator.gather((chosen > rejected).float())  # BUG 1
        gap = self.accelerator.gather((chosen - rejected).float())
        self._extra[mode]["accuracy"].append(acc.mean().item())
        self._extra[mode]["reward_gap"].append(gap.mean().item())

    def log(self, logs, *args, **kwargs):
        mode = "eval" if any(k.startswith("eval_") for k in logs) else "train"
        prefix = "eval_" if mode == "eval" else ""
        for k, v in self._extra[mode].items():
            logs[prefix + k] = float(np.mean(v))
        self._extra[mode].clear()
        super().log(logs, *args, **kwargs)

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad():
            loss, out = self.compute_loss(model, inputs, return_outputs=True)
        if prediction_loss_only:
            return loss.detach(), None, None
        logits = torch.stack([out["chosen"], out["rejected"]], 1)
        return loss.detach(), logits, torch.zeros(logits.shape[0], device=logits.device)

    def visualize(self, rows=4):
        """A few scored pairs; all ranks gather, rank 0 prints."""
        batch = self._prepare_inputs(next(iter(self.get_eval_dataloader())))
        self.model.eval()
        with torch.no_grad():
            r = torch.stack([self._rewards(self.model, batch, k) for k in ("chosen", "rejected")], 1)
        r = self.accelerator.gather(r)
        if self.accelerator.is_main_process:
            for a, b in r[:rows].tolist():
                print(f"chosen {a:+.3f} rejected {b:+.3f}")


def compute_metrics(pred):
    return {"pair_accuracy": float((pred.predictions[:, 0] > pred.predictions[:, 1]).mean())}


def main():
    sargs, targs = HfArgumentParser((ScriptArguments, TrainingArguments)).parse_args_into_dataclasses()
    targs.remove_unused_columns = False
    tok = AutoTokenizer.from_pretrained(sargs.model_name)
    tok.pad_token = tok.pad_token or tok.eos_token
    model = AutoModelForSequenceClassification.from_pretrained(sargs.model_name, num_labels=1)
    model.config.pad_token_id = tok.pad_token_id

    def encode(ex):
        out = {}
        for k in ("chosen", "rejected"):
            enc = tok(ex[k], truncation=True, max_length=sargs.max_length)
            out[f"input_ids_{k}"], out[f"attention_mask_{k}"] = enc["input_ids"], enc["attention_mask"]
        return out

    raw = load_dataset("json", data_files={"train": sargs.train_file, "eval": sargs.eval_file})
    with targs.main_process_first():
        raw = raw.map(encode, num_proc=4)
    trainer = RewardTrainer(model=model, args=targs, train_dataset=raw["train"], eval_dataset=raw["eval"],
                            data_collator=PairCollator(tok, sargs.max_length), compute_metrics=compute_metrics,
                            center_coef=sargs.center_coef)
    trainer.train()
    trainer.visualize()
    trainer.save_model(targs.output_dir)
    if trainer.is_world_process_zero():
        tok.save_pretrained(targs.output_dir)


if __name__ == "__main__":
    main()

"""Chat SFT trainer: loss on assistant turns only, packed or truncated samples."""
import logging
from collections import Counter
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)

logger = logging.getLogger(__name__)
IGNORE = -100


@dataclass
class ModelArgs:
    model_name: str = field(default="Qwen/Qwen2.5-0.5B")
    data_file: str = field(default="chat.jsonl")
    max_length: int = field(default=1024)


class AssistantCollator:
    def __init__(self, tokenizer, max_length):
        self.tok = tokenizer
        self.max_length = max_length

    def _encode(self, turns):
        ids, labels = [], []
        for turn in turns:
            piece = self.tok(f"<|{turn['role']}|>{turn['content']}", add_special_tokens=False)
            ids += piece["input_ids"]
            keep = turn["role"] == "assistant"
            labels += piece["input_ids"] if keep else [IGNORE] * len(piece["input_ids"])
        return ids[: self.max_length], labels[: self.max_length]

    def __call__(self, rows):
        pairs = [self._encode(r["messages"]) for r in rows]
        width = max(len(ids) for ids, _ in pairs)
        pad = self.tok.pad_token_id
        return {
            "input_ids": torch.tensor([i + [pad] * (width - len(i)) for i, _ in pairs]),
            "attention_mask": torch.tensor([[1] * len(i) + [0] * (width - len(i)) for i, _ in pairs]),
            "labels": torch.tensor([l + [IGNORE] * (width - len(l)) for _, l in pairs]),
        }


class ChatTrainer(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.tally = Counter()

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits[:, :-1].float()
        loss = F.cross_entropy(
            logits.reshape(-1, logits.size(-1)), labels[:, 1:].reshape(-1), ignore_index=IGNORE
        )
        return (loss, outputs) if return_outputs else loss

    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        inputs = self._prepare_inputs(inputs)
        supervised = int((inputs["labels"][:, 1:] != IGNORE).sum())
        with self.compute_loss_context_manager():
            loss, outputs = self.compute_loss(model, inputs, return_outputs=True)
        self.tally["tokens"] += supervised
        if supervised == 0:
            self.tally["empty"] += 1
            loss = outputs.logits.sum() * 0.0
        loss = loss / self.args.gradient_accumulation_steps
        self.accelerator.backward(loss)
        return loss.detach()


def main():
    margs, targs = HfArgumentParser((ModelArgs, TrainingArguments)).parse_args_into_dataclasses()
    targs.remove_unused_columns = False
    tok = AutoTokenizer.from_pretrained(margs.model_name)
    trainer = ChatTrainer(
        model=AutoModelForCausalLM.from_pretrained(margs.model_name),
        args=targs,
        train_dataset=load_dataset("json", data_files=margs.data_file, split="train"),
        data_collator=AssistantCollator(tok, margs.max_length),
    )
    trainer.train()
    logger.info("tally: %s", dict(trainer.tally))
    trainer.save_model(targs.output_dir)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()

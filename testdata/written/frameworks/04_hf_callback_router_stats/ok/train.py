"""Supervised fine-tuning of a Mixtral-style model with routing diagnostics."""
import argparse
import json
import os

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from router_stats import RouterCounter, summarize


class RouterDiagnostics(TrainerCallback):
    def __init__(self, out_dir):
        self.out_file = os.path.join(out_dir, "router.jsonl")
        self.counter = None

    def on_train_begin(self, args, state, control, model=None, **kwargs):
        cfg = model.config
        self.counter = RouterCounter(
            cfg.num_local_experts, cfg.num_experts_per_tok, args.device
        ).attach(model)

    def on_log(self, args, state, control, logs=None, **kwargs):
        if self.counter is None or logs is None:
            return
        record = summarize(self.counter)
        record["step"] = state.global_step
        if state.is_world_process_zero:
            with open(self.out_file, "a") as f:
                f.write(json.dumps(record) + "\n")
        self.counter.reset()

    def on_train_end(self, args, state, control, **kwargs):
        if self.counter is not None:
            self.counter.detach()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="mistralai/Mixtral-8x7B-v0.1")
    p.add_argument("--data", required=True)
    p.add_argument("--out", default="sft-moe")
    opts = p.parse_args()

    tok = AutoTokenizer.from_pretrained(opts.model)
    tok.pad_token = tok.eos_token
    data = load_dataset("json", data_files=opts.data, split="train")
    data = data.map(
        lambda b: tok(b["text"], truncation=True, max_length=2048),
        batched=True,
        remove_columns=data.column_names,
    )
    args = TrainingArguments(
        output_dir=opts.out,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=8,
        logging_steps=10,
        max_steps=2000,
        bf16=True,
        fsdp="full_shard auto_wrap",
    )
    trainer = Trainer(
        model=AutoModelForCausalLM.from_pretrained(opts.model),
        args=args,
        train_dataset=data,
        data_collator=DataCollatorForLanguageModeling(tok, mlm=False),
        callbacks=[RouterDiagnostics(opts.out)],
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()

import json
import os
import time
from dataclasses import dataclass, field
from typing import Optional

import torch
import torch.distributed as dist
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    HfArgumentParser,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)
from transformers.trainer_utils import get_last_checkpoint


@dataclass
class ScriptArguments:
    model_name: str = field(default="gpt2")
    data_file: str = field(default="/data/corpus.jsonl")
    max_hours: float = field(default=11.5, metadata={"help": "wall clock limit of the queue"})
    block_size: int = field(default=1024)
    stop_file: Optional[str] = field(default=None)


class WallClockCallback(TrainerCallback):
    """Ends the run, with a checkpoint, before the queue kills the job."""

    def __init__(self, max_hours, margin_s=300):
        self.limit = max_hours * 3600 - margin_s
        self.start = time.time()
        self.longest_step = 0.0
        self._t = None

    def on_step_begin(self, args, state, control, **kwargs):
        self._t = time.time()

    def on_step_end(self, args, state, control, **kwargs):
        self.longest_step = max(self.longest_step, time.time() - self._t)
        elapsed = time.time() - self.start
        if elapsed + 2 * self.longest_step > self.limit:  # BUG 1
            control.should_save = True  # BUG 1
            control.should_training_stop = True  # BUG 1
        return control


class StopFileCallback(TrainerCallback):
    """`touch` a file to stop the run; only the main process looks at the disk."""

    def __init__(self, path, every=20):
        self.path, self.every = path, every

    def on_step_end(self, args, state, control, **kwargs):
        if self.path is None or state.global_step % self.every:
            return control
        seen = state.is_world_process_zero and os.path.exists(self.path)
        if dist.is_initialized():
            t = torch.tensor([int(seen)], device=args.device)
            dist.all_reduce(t, op=dist.ReduceOp.MAX)
            seen = bool(t.item())
        if seen:
            control.should_save = True
            control.should_training_stop = True
        return control


class JsonlLogger(TrainerCallback):
    def __init__(self, path):
        self.path = path

    def on_log(self, args, state, control, logs=None, **kwargs):
        if state.is_world_process_zero:
            with open(self.path, "a") as f:
                f.write(json.dumps({"step": state.global_step, **(logs or {})}) + "\n")


class LossSpikeCallback(TrainerCallback):
    """Stops when the logged loss (already averaged over ranks by the Trainer) is far off."""

    def __init__(self, factor=3.0):
        self.factor, self.best = factor, None

    def on_log(self, args, state, control, logs=None, **kwargs):
        loss = (logs or {}).get("loss")
        if loss is None:
            return control
        self.best = loss if self.best is None else min(self.best, loss)
        if loss > self.factor * self.best and state.global_step > 1000:
            control.should_training_stop = True
        return control


def build_dataset(script_args, training_args, tokenizer):
    raw = load_dataset("json", data_files=script_args.data_file, split="train")
    block = script_args.block_size

    def group(batch):
        ids = sum((x + [tokenizer.eos_token_id] for x in tokenizer(batch["text"])["input_ids"]), [])
        n = len(ids) // block * block
        return {"input_ids": [ids[i:i + block] for i in range(0, n, block)]}

    with training_args.main_process_first(desc="tokenize"):
        data = raw.map(group, batched=True, remove_columns=raw.column_names)
    return data.train_test_split(test_size=0.01, seed=0)


def main():
    script_args, training_args = HfArgumentParser((ScriptArguments, TrainingArguments)).parse_args_into_dataclasses()
    tokenizer = AutoTokenizer.from_pretrained(script_args.model_name)
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(script_args.model_name)
    data = build_dataset(script_args, training_args, tokenizer)

    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=data["train"],
        eval_dataset=data["test"],
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
        callbacks=[
            WallClockCallback(script_args.max_hours),
            StopFileCallback(script_args.stop_file),
            JsonlLogger(os.path.join(training_args.output_dir, "log.jsonl")),
            LossSpikeCallback(),
        ],
    )
    last = None
    if os.path.isdir(training_args.output_dir):
        last = get_last_checkpoint(training_args.output_dir)
    trainer.train(resume_from_checkpoint=last)
    metrics = trainer.evaluate()
    if trainer.is_world_process_zero():
        print(metrics)
    trainer.save_model()


if __name__ == "__main__":
    main()

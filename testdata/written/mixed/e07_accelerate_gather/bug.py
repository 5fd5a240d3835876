"""Fine-tune a text classifier with Accelerate (no Trainer)."""
import argparse
import json
import math
import os
import random

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    get_scheduler,
)

logger = get_logger(__name__)


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="bert-base-cased")
    p.add_argument("--train-file", required=True)
    p.add_argument("--validation-file", required=True)
    p.add_argument("--output-dir", default="out")
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=2e-5)
    p.add_argument("--accum", type=int, default=2)
    p.add_argument("--checkpointing-steps", type=int, default=1000)
    p.add_argument("--log-every", type=int, default=50)
    p.add_argument("--seed", type=int, default=17)
    return p.parse_args()


def build_datasets(args, tokenizer, accelerator):
    raw = load_dataset("json", data_files={"train": args.train_file, "validation": args.validation_file})
    with accelerator.main_process_first():
        tok = raw.map(lambda b: tokenizer(b["text"], truncation=True, max_length=256),
                      batched=True, remove_columns=["text"])
    if accelerator.is_main_process:
        for i in random.sample(range(len(tok["train"])), 3):
            print(f"sample {i}: {tok['train'][i]}")
    return tok


def evaluate(accelerator, model, loader):
    model.eval()
    correct = total = 0
    for batch in tqdm(loader, disable=not accelerator.is_local_main_process):
        with torch.no_grad():
            out = model(**batch)
        pred, ref = accelerator.gather_for_metrics((out.logits.argmax(-1), batch["labels"]))
        correct += (pred == ref).sum().item()
        total += ref.numel()
    model.train()
    return correct / max(total, 1)


def save_final(accelerator, model, tokenizer, args):
    accelerator.wait_for_everyone()
    state = accelerator.get_state_dict(model)
    if accelerator.is_main_process:
        accelerator.unwrap_model(model).save_pretrained(args.output_dir, state_dict=state)
        tokenizer.save_pretrained(args.output_dir)
    accelerator.wait_for_everyone()


def main():
    args = parse_args()
    accelerator = Accelerator(
        gradient_accumulation_steps=args.accum,
        log_with="tensorboard",
        project_config=ProjectConfiguration(args.output_dir, logging_dir=os.path.join(args.output_dir, "logs")),
    )
    set_seed(args.seed)
    if accelerator.is_main_process:
        os.makedirs(args.output_dir, exist_ok=True)
    accelerator.wait_for_everyone()

    tokenizer = AutoTokenizer.from_pretrained(args.model)
    data = build_datasets(args, tokenizer, accelerator)
    collate = DataCollatorWithPadding(tokenizer)
    train_loader = DataLoader(data["train"], args.batch_size, shuffle=True, collate_fn=collate)
    eval_loader = DataLoader(data["validation"], args.batch_size, collate_fn=collate)

    model = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    steps = args.epochs * math.ceil(len(train_loader) / args.accum)
    scheduler = get_scheduler("linear", optimizer, 0, steps)
    accelerator.init_trackers("finetune", config={k: v for k, v in vars(args).items() if v is not None})

    bar = tqdm(range(steps), disable=not accelerator.is_local_main_process)
    global_step = 0
    for epoch in range(args.epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            if not accelerator.sync_gradients:
                continue
            scheduler.step()
            global_step += 1
            bar.update(1)
            if accelerator.is_main_process and global_step % args.log_every == 0:  # BUG 1
                avg = accelerator.gather(loss.detach().repeat(args.batch_size)).mean()  # BUG 1
                accelerator.log({"train_loss": avg.item(), "lr": scheduler.get_last_lr()[0]}, step=global_step)
            if global_step % args.checkpointing_steps == 0:
                accelerator.save_state(os.path.join(args.output_dir, f"step_{global_step}"))

        acc = evaluate(accelerator, model, eval_loader)
        accelerator.log({"accuracy": acc, "epoch": epoch}, step=global_step)
        logger.info(f"epoch {epoch}: accuracy {acc:.4f}")

    save_final(accelerator, model, tokenizer, args)
    if accelerator.is_main_process:
        with open(os.path.join(args.output_dir, "all_results.json"), "w") as f:
            json.dump({"accuracy": acc}, f)
    accelerator.end_training()


if __name__ == "__main__":
    main()

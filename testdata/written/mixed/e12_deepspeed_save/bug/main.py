import argparse

import deepspeed
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from transformers import AutoModelForCausalLM, AutoTokenizer, default_data_collator
from transformers.integrations import HfDeepSpeedConfig

from zero_ft.engine import SFTEngine, ds_config


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="facebook/opt-1.3b")
    p.add_argument("--data", default="/shared/sft.jsonl")
    p.add_argument("--output-dir", default="/shared/out")
    p.add_argument("--micro-batch", type=int, default=4)
    p.add_argument("--accum", type=int, default=4)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--lr", type=float, default=1e-5)
    p.add_argument("--zero-stage", type=int, default=3)
    p.add_argument("--enable-ema", action="store_true")
    p.add_argument("--local_rank", type=int, default=-1)
    return p.parse_args()


def loader(data, args):
    return DataLoader(data, batch_size=args.micro_batch, sampler=DistributedSampler(data),
                      collate_fn=default_data_collator, drop_last=True)


def main():
    args = parse()
    deepspeed.init_distributed()
    torch.cuda.set_device(max(args.local_rank, 0))
    tok = AutoTokenizer.from_pretrained(args.model)

    def encode(ex):
        out = tok(ex["prompt"] + ex["answer"], truncation=True, padding="max_length", max_length=1024)
        out["labels"] = [t if m else -100 for t, m in zip(out["input_ids"], out["attention_mask"])]
        return out

    data = load_dataset("json", data_files=args.data, split="train").map(encode, remove_columns=["prompt", "answer"])
    parts = data.train_test_split(test_size=0.05, seed=1)
    keep = HfDeepSpeedConfig(ds_config(args)) if args.zero_stage == 3 else None
    model = AutoModelForCausalLM.from_pretrained(args.model)
    ema = AutoModelForCausalLM.from_pretrained(args.model) if args.enable_ema else None
    engine = SFTEngine(args, model, ema, tok)
    engine.fit(loader(parts["train"], args), loader(parts["test"], args))
    del keep


if __name__ == "__main__":
    main()

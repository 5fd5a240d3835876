"""Process an instruction dataset on rank 0 and hand it to all ranks."""
import argparse
import datetime
import json
import logging
import os
from dataclasses import dataclass
from functools import partial

import torch
import torch.distributed as dist
from datasets import Dataset as HFDataset
from torch.utils.data import ConcatDataset, DataLoader, DistributedSampler
from transformers import AutoTokenizer

logger = logging.getLogger(__name__)


@dataclass
class SourceSpec:
    path: str
    template: str = "<|user|>{instruction}<|assistant|>"
    weight: float = 1.0
    optional: bool = True


def read_rows(path):
    with open(path, encoding="utf-8") as f:
        if path.endswith(".jsonl"):
            return [json.loads(line) for line in f if line.strip()]
        return json.load(f)


def encode(row, tokenizer, template, max_length):
    prompt = tokenizer(template.format(**row))["input_ids"]
    answer = tokenizer(row["output"], add_special_tokens=False)["input_ids"]
    ids = (prompt + answer + [tokenizer.eos_token_id])[:max_length]
    labels = ([-100] * len(prompt) + answer + [tokenizer.eos_token_id])[:max_length]
    return {"input_ids": ids, "labels": labels}


def process_source(spec, tokenizer, max_length, num_proc=8):
    rows = HFDataset.from_list(read_rows(spec.path))
    fn = partial(encode, tokenizer=tokenizer, template=spec.template, max_length=max_length)
    data = rows.map(fn, num_proc=num_proc, remove_columns=rows.column_names)
    return data.filter(lambda r: any(t != -100 for t in r["labels"]), num_proc=num_proc)


class DatasetHub:
    def __init__(self, tokenizer, max_length):
        self.tokenizer = tokenizer
        self.max_length = max_length

    def get(self, spec):
        if dist.get_rank() == 0:
            try:
                objects = [process_source(spec, self.tokenizer, self.max_length)]
            except (json.JSONDecodeError, KeyError, UnicodeDecodeError) as err:
                logger.warning("cannot use %s: %r", spec.path, err)
                objects = [None]
        else:
            objects = [None]
        dist.broadcast_object_list(objects, src=0)
        return objects[0]

    def collect(self, specs):
        parts = []
        for spec in specs:
            data = self.get(spec)
            if data is None and not spec.optional:
                raise RuntimeError(f"required source {spec.path} is unusable")
            if data is not None:
                parts.append(data)
        return ConcatDataset(parts)


def collate(rows, pad_id):
    width = max(len(r["input_ids"]) for r in rows)
    ids = [r["input_ids"] + [pad_id] * (width - len(r["input_ids"])) for r in rows]
    labels = [r["labels"] + [-100] * (width - len(r["labels"])) for r in rows]
    return {"input_ids": torch.tensor(ids), "labels": torch.tensor(labels)}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("sources", nargs="+")
    p.add_argument("--model", default="internlm/internlm2-1_8b")
    p.add_argument("--max_length", type=int, default=2048)
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group("cpu:gloo,cuda:nccl", timeout=datetime.timedelta(hours=2))
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    tok = AutoTokenizer.from_pretrained(args.model, trust_remote_code=True)
    data = DatasetHub(tok, args.max_length).collect([SourceSpec(s) for s in args.sources])
    loader = DataLoader(
        data, 4, sampler=DistributedSampler(data), collate_fn=partial(collate, pad_id=tok.pad_token_id)
    )
    if dist.get_rank() == 0:
        logger.info("%d samples, %d batches per rank", len(data), len(loader))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

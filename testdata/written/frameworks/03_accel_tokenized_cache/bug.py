"""Tokenise and pack a text corpus once per node, then hand out loaders."""
import logging
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from accelerate import Accelerator
from datasets import load_dataset, load_from_disk
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, default_data_collator
import torch

logger = logging.getLogger(__name__)


@dataclass
class CorpusConfig:
    source: str = "wikitext"
    subset: str = "wikitext-103-raw-v1"
    tokenizer: str = "gpt2"
    block: int = 1024
    cache_root: str = "/tmp/corpus_cache"
    overwrite: bool = False


class PackedCorpus:
    def __init__(self, cfg, accelerator):
        self.cfg = cfg
        self.accelerator = accelerator
        self.tokenizer = AutoTokenizer.from_pretrained(cfg.tokenizer)

    @property
    def cache_path(self):
        tag = f"{self.cfg.source}-{self.cfg.subset}-{self.cfg.block}".replace("/", "_")
        return Path(self.cfg.cache_root) / tag

    def _pack(self, batch):
        ids = list(chain.from_iterable(batch["input_ids"]))
        usable = len(ids) // self.cfg.block * self.cfg.block
        rows = [ids[i : i + self.cfg.block] for i in range(0, usable, self.cfg.block)]
        return {"input_ids": rows, "labels": [list(r) for r in rows]}

    def _build(self):
        raw = load_dataset(self.cfg.source, self.cfg.subset, split="train")
        tok = raw.map(
            lambda b: {"input_ids": self.tokenizer(b["text"])["input_ids"]},
            batched=True,
            remove_columns=raw.column_names,
        )
        return tok.map(self._pack, batched=True, batch_size=2000)

    def load(self):
        if not self.accelerator.is_local_main_process:
            self.accelerator.wait_for_everyone()

        if self.cache_path.exists() and not self.cfg.overwrite:
            logger.info("using packed corpus at %s", self.cache_path)
            return load_from_disk(str(self.cache_path))  # BUG

        packed = self._build()
        if self.accelerator.is_local_main_process:
            packed.save_to_disk(str(self.cache_path))
            self.accelerator.wait_for_everyone()  # BUG
        return packed


def train(cfg, model_name, steps, batch_size, lr):
    accelerator = Accelerator(mixed_precision="bf16")
    data = PackedCorpus(cfg, accelerator).load()
    loader = DataLoader(
        data, batch_size=batch_size, shuffle=True, collate_fn=default_data_collator, drop_last=True
    )
    model = AutoModelForCausalLM.from_pretrained(model_name)
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    done = 0
    while done < steps:
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
            done += 1
            if done % 100 == 0:
                accelerator.print(f"{done}: {loss.item():.3f}")
            if done >= steps:
                break
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "packed-gpt2")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    train(CorpusConfig(), "gpt2", steps=5000, batch_size=8, lr=3e-4)

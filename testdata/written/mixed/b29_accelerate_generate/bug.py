"""Text generation and scoring with Accelerate."""
import torch
from accelerate import Accelerator
from accelerate.utils import broadcast
from transformers import AutoModelForCausalLM, AutoTokenizer


class Generator:
    def __init__(self, name, max_new_tokens=128):
        self.accelerator = Accelerator()
        self.tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left")
        self.model = self.accelerator.prepare(AutoModelForCausalLM.from_pretrained(name))
        self.max_new_tokens = max_new_tokens

    @torch.no_grad()
    def _generate(self, batch):
        raw = self.accelerator.unwrap_model(self.model)
        return raw.generate(**batch, max_new_tokens=self.max_new_tokens)

    def _decode(self, ids):
        return self.tokenizer.batch_decode(ids, skip_special_tokens=True)

    def sample_texts(self, loader):
        texts = []
        for batch in self.accelerator.prepare(loader):
            ids = self._generate(batch)
            ids = self.accelerator.pad_across_processes(ids, dim=1, pad_index=self.tokenizer.pad_token_id)
            texts.extend(self._decode(self.accelerator.gather_for_metrics(ids)))
        return texts

    def sample_completions(self, loader):
        texts = []
        for batch in self.accelerator.prepare(loader):
            prompt_len = batch["input_ids"].shape[1]
            new = self._generate(batch)[:, prompt_len:].contiguous()
            new = self.accelerator.gather(new)  # BUG 1
            texts.extend(self._decode(new))
        return texts

    def shared_prefix(self, examples):
        text = examples[self.accelerator.process_index]
        ids = self.tokenizer(text, return_tensors="pt")["input_ids"].to(self.accelerator.device)
        return broadcast(ids, from_process=0)  # BUG 2

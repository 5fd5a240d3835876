"""Every sequence is padded to one length: logits of all ranks have the same shape."""
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer


def main(name, texts):
    accelerator = Accelerator()
    tokenizer = AutoTokenizer.from_pretrained(name)
    tokens = tokenizer(texts, max_length=64, padding="max_length", truncation=True, return_tensors="pt")
    loader = DataLoader(tokens, batch_size=4)
    model, loader = accelerator.prepare(AutoModelForSeq2SeqLM.from_pretrained(name), loader)
    for batch in loader:
        outputs = model(**batch)
        accelerator.gather_for_metrics(torch.argmax(outputs.logits, -1))

"""Where models of both sorts are made, the labels may be those of tokens."""
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    DataCollatorForTokenClassification,
)


def main(name, texts, tokenizer, metric, whole):
    accelerator = Accelerator()
    loader = DataLoader(texts, batch_size=4, collate_fn=DataCollatorForTokenClassification(tokenizer))
    kind = AutoModelForSequenceClassification if whole else AutoModelForTokenClassification
    model, loader = accelerator.prepare(kind.from_pretrained(name), loader)
    for batch in loader:
        model(**batch)
        metric.add_batch(accelerator.gather(batch["labels"]))  # error: [unagreed-shape]

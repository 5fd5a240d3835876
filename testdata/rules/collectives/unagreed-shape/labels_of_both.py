"""Labels of tokens are padded to the longest sequence, those of whole sentences beside them are one number each."""
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForTokenClassification, DataCollatorForTokenClassification


def main(name, texts, tokenizer, metric):
    accelerator = Accelerator()
    loader = DataLoader(texts, batch_size=4, collate_fn=DataCollatorForTokenClassification(tokenizer))
    model, loader = accelerator.prepare(AutoModelForTokenClassification.from_pretrained(name), loader)
    for batch in loader:
        metric.add_batch(accelerator.gather(batch["intent_labels"]))
        metric.add_batch(accelerator.gather(batch["labels"]))  # error: [unagreed-shape]

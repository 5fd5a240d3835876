"""A model that judges each token has a label and scores for each: they are as many as the padded sequence is long."""
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForTokenClassification, DataCollatorForTokenClassification


def main(name, texts, tokenizer, metric):
    accelerator = Accelerator()
    loader = DataLoader(texts, batch_size=4, collate_fn=DataCollatorForTokenClassification(tokenizer))
    model, loader = accelerator.prepare(AutoModelForTokenClassification.from_pretrained(name), loader)
    for batch in loader:
        outputs = model(**batch)
        predictions = accelerator.gather(outputs.logits.argmax(dim=-1))  # error: [unagreed-shape]
        metric.add_batch(predictions, accelerator.gather(batch["labels"]))  # error: [unagreed-shape]

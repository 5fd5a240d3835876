"""A model that judges whole sequences has one label and one row of scores for each, whatever they are padded to."""
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, DataCollatorWithPadding


def main(name, texts, tokenizer, metric):
    accelerator = Accelerator()
    loader = DataLoader(texts, batch_size=4, collate_fn=DataCollatorWithPadding(tokenizer))
    model, loader = accelerator.prepare(AutoModelForSequenceClassification.from_pretrained(name), loader)
    for batch in loader:
        outputs = model(**batch)
        predictions = accelerator.gather(outputs.logits.argmax(dim=-1))
        metric.add_batch(predictions, accelerator.gather(batch["labels"]))
        accelerator.gather(batch["input_ids"])  # error: [unagreed-shape]
        accelerator.gather(outputs.last_hidden_state)  # error: [unagreed-shape]

"""A batch of pictures has one label for each, whatever else of it is padded."""
from accelerate import Accelerator
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(items):
    boxes = pad_sequence([item["boxes"] for item in items])
    return {"image": [item["image"] for item in items], "labels": [item["label"] for item in items], "boxes": boxes}


def pictures(model, dataset, metric):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, DataLoader(dataset, batch_size=4, collate_fn=collate))
    for batch in loader:
        scores = model(batch["image"])
        metric.add_batch(accelerator.gather(scores), accelerator.gather(batch["labels"]))

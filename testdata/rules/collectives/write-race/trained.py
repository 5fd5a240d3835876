"""Scripts of one process call a trainer as well: what they save is less certain to be saved by several."""
import pytorch_lightning as pl
import torch
import torch.distributed as dist
import torchmetrics


def fitted(model, path):
    trainer = pl.Trainer(devices=8, strategy="ddp")
    trainer.fit(model)
    torch.save(model.state_dict(), path)  # low: [write-race]


def fitted_by_hand(model, processed_path):
    dist.all_reduce(model.loss)
    torch.save(model.state_dict(), processed_path)  # error: [write-race]


def measured(model, loader, path):
    metric = torchmetrics.MeanMetric()
    for batch in loader:
        metric.update(model(batch))
    torch.save(metric.compute(), path)  # low: [write-race]

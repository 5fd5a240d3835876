"""A trainer may start the other processes itself, when the script has made its folder: nobody else was there."""
import os

import pytorch_lightning as pl
import torch.distributed as dist


def train(model, folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # low: [file-race]
    trainer = pl.Trainer(strategy="ddp", devices=8)
    trainer.fit(model)


def train_by_hand(model, folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    dist.barrier()
    return model


def evaluate(model, folder):
    os.environ["WORLD_SIZE"] = "1"
    dist.init_process_group("nccl", rank=0)
    dist.barrier()
    if not os.path.exists(folder):
        os.makedirs(folder)
    return model


def evaluate_where_nobody_said(model, folder):
    if "WORLD_SIZE" not in os.environ:
        os.environ["WORLD_SIZE"] = "1"
    dist.init_process_group("nccl")
    dist.barrier()
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    return model

"""Collectives that a rank's own batch decides about (P18, P51)."""
import torch
import torch.distributed as dist
from accelerate.utils import gather_object
from transformers import Trainer


def masked_mean(network, eval_dataloader, totals):
    for batch in eval_dataloader:
        score = network(batch["tokens"])
        keep = batch["tokens"] > 0
        if keep.any():
            dist.all_reduce(score)  # error: [conditional-collective]
        totals.append(score)


def masked_mean_in_step(network, eval_dataloader, totals):
    for batch in eval_dataloader:
        score = network(batch["tokens"])
        keep = batch["tokens"] > 0
        score = score * keep if keep.any() else torch.zeros_like(score)
        dist.all_reduce(score)
        totals.append(score)


class Pictures(Trainer):
    def _prepare_inputs(self, generation_batch):
        pictures = [example.get("picture") for example in generation_batch]
        if all(picture is None for picture in pictures):
            pictures = None
        if pictures is not None:
            return gather_object(pictures)  # error: [conditional-collective]
        return []


class PicturesEverywhere(Trainer):
    def _prepare_inputs(self, generation_batch):
        pictures = [example.get("picture") for example in generation_batch]
        if all(picture is None for picture in pictures):
            pictures = None
        return gather_object(pictures if pictures is not None else [])

"""Counts of steps that a loop over batches keeps: all ranks have as many, where a flag says together when to end."""

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def clip_by_count(dataset, model, optimizer, accumulate, timesteps):
    samples = list(DataLoader(dataset, sampler=DistributedSampler(dataset)))
    for i, sample in list(enumerate(samples)):
        for j in range(timesteps):
            if (i * timesteps + j + 1) % accumulate == 0:
                is_last = True
            else:
                is_last = False
            loss = model(sample, j)
            loss.backward()
            if is_last:
                optimizer.step()
                dist.all_reduce(loss)


def train(dataset, model, rerun, settings):
    step, should_exit = 0, False
    data = iter(DataLoader(dataset, sampler=DistributedSampler(dataset)))
    while step < settings.steps:
        loss, should_exit = rerun.step(model, next(data))
        if should_exit:
            break
        step += 1
    if settings.save and step != 0 and step % settings.save_every != 0:
        dist.barrier()  # low: [conditional-collective]


def a_flag_that_a_batch_sets(dataset, model):
    failed = False
    for batch in DataLoader(dataset, sampler=DistributedSampler(dataset)):
        if torch.isnan(model(batch)).any():
            failed = True
            break
    if failed:
        dist.barrier()  # error: [conditional-collective]

"""As many results as there are heads, whatever a batch holds: heads that a checkpoint may have filled."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class AllReduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.contiguous()
        dist.all_reduce(x)
        return x


class Head(torch.nn.Module):
    def forward(self, features):
        return features.sum(1)


def main(dataset, encoder, settings):
    dist.init_process_group("nccl")
    heads = [Head().cuda() for _ in settings.heads]
    heads = [DistributedDataParallel(head, static_graph=True) for head in heads]
    loader, sampler = make_loader(dataset)
    if settings.resume and os.path.exists(settings.path):
        heads, epoch = load_checkpoint(settings.path, heads)
    for epoch in range(settings.epochs):
        one_epoch(training=True, encoder=encoder, heads=heads, data_loader=loader)  # low: [divergent-loop]


def make_loader(dataset, kind="images"):
    if kind.lower() == "images":
        data_loader, sampler = make_images(dataset)
    elif kind.lower() == "videos":
        data_loader, sampler = make_videos(dataset)
    return (data_loader, sampler)


def make_images(dataset):
    sampler = DistributedSampler(dataset)
    data_loader = DataLoader(dataset, sampler=sampler)
    return data_loader, sampler


def make_videos(dataset):
    sampler = DistributedSampler(dataset, shuffle=False)
    data_loader = DataLoader(dataset, sampler=sampler)
    return data_loader, sampler


def load_checkpoint(path, heads):
    checkpoint = torch.load(path)
    for head, saved in zip(heads, checkpoint["heads"]):
        head.load_state_dict(saved)
    return heads, checkpoint["epoch"]


def one_epoch(training, encoder, heads, data_loader):
    for itr, data in enumerate(data_loader):
        images, labels = data[0].cuda(), data[1].cuda()
        with torch.no_grad():
            outputs = encoder(images)
            if not training:
                outputs = [head(outputs) for head in heads]
        if training:
            outputs = [head(outputs) for head in heads]
        right = [100.0 * output.max(dim=1).indices.eq(labels).sum() / len(images) for output in outputs]
        right = [float(AllReduce.apply(share)) for share in right]

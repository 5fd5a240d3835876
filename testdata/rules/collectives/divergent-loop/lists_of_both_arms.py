"""A list of what a model gives, and one of zeros in its place: built to be as long as each other, or empty."""
import torch
import torch.distributed as dist


def embed(vision, data, config):
    rank = dist.get_rank()
    if rank < len(data):
        embeds, features = vision(data[rank])
    else:
        embeds = torch.zeros(0)
        features = []
        for _ in config.indexes:
            features.append(torch.zeros(0))
    for i in range(len(features)):
        dist.all_reduce(features[i])  # low: [divergent-loop]
    return embeds, features


def embed_or_nothing(vision, data):
    rank = dist.get_rank()
    if rank < len(data):
        embeds, features = vision(data[rank])
    else:
        embeds, features = torch.zeros(0), []
    for i in range(len(features)):
        dist.all_reduce(features[i])  # error: [divergent-loop]
    return embeds, features

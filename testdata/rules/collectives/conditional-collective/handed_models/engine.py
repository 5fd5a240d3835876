"""What calls the models that it is handed."""

import torch
from torch import nn


def evaluate(model: nn.Module, loader):
    total = 0.0
    for batch in loader:
        total += model(batch)
    return total


def log_probabilities(model: nn.Module, samples, temperature=1.0):
    out = []
    with torch.no_grad():
        for at in range(0, len(samples)):
            out.append(forward(model, samples[at], temperature))
    return out


def forward(model: nn.Module, sample, temperature, **more):
    return model(input_ids=sample, **more).logits / temperature


class Sampler:
    def __init__(self, network: nn.Module):
        self.network = network

    def sample(self, prompt):
        return self.network(prompt)

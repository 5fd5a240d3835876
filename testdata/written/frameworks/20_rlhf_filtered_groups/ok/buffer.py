"""Experience storage for group-relative policy optimisation."""
from dataclasses import dataclass

import torch


@dataclass
class Sample:
    ids: torch.Tensor
    mask: torch.Tensor
    logprobs: torch.Tensor
    reward: float
    advantage: float = 0.0


class GroupBuffer:
    def __init__(self, pad_id, min_std=1e-4):
        self.pad_id = pad_id
        self.min_std = min_std
        self.samples = []

    def __len__(self):
        return len(self.samples)

    def clear(self):
        self.samples.clear()

    def add_group(self, group):
        rewards = torch.tensor([s.reward for s in group])
        if rewards.std() < self.min_std:
            return
        norm = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
        for sample, adv in zip(group, norm.tolist()):
            sample.advantage = adv
            self.samples.append(sample)

    def _pad(self, rows, value):
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=value)

    def minibatches(self, size):
        order = torch.randperm(len(self.samples)).tolist()
        for i in range(0, len(order) - size + 1, size):
            part = [self.samples[j] for j in order[i : i + size]]
            yield {
                "ids": self._pad([s.ids for s in part], self.pad_id),
                "mask": self._pad([s.mask for s in part], 0.0),
                "old": self._pad([s.logprobs for s in part], 0.0),
                "adv": torch.tensor([s.advantage for s in part]),
            }

"""Layers of this stage; only a stage with experts records anything (P51)."""
import torch

from megatron.core import parallel_state

TRACKER = {}


class Router:
    def __init__(self, config):
        self.has_experts = parallel_state.is_pipeline_last_stage()

    def forward(self, logits):
        if self.has_experts:
            TRACKER["load_balancing"] = torch.zeros(4)
        return logits

"""Wraps the model."""
from critic import Critic
from torch.distributed.fsdp import FullyShardedDataParallel


class CriticWorker:
    def __init__(self, network, budget):
        sharded = FullyShardedDataParallel(network)
        self.critic = Critic(module=sharded, budget=budget)

    def run(self, rollout):
        self.critic.update(rollout)  # low: [divergent-loop]

    def run_in_step(self, rollout):
        self.critic.update_in_step(rollout)

"""A model that somebody else has wrapped, in as many rounds as there are tokens for (P05)."""
from packing import agreed_rounds_of, rounds_of


class Critic:
    def __init__(self, module, budget):
        self.critic_module = module
        self.budget = budget

    def update(self, rollout):
        for part in self.parts(rollout):
            count = rounds_of(part, self.budget)
            for chunk in part.chunk(count):
                loss = self.critic_module(chunk).mean()
                loss.backward()

    def update_in_step(self, rollout):
        for part in self.parts(rollout):
            count = agreed_rounds_of(part, self.budget)
            for chunk in part.chunk(count):
                loss = self.critic_module(chunk).mean()
                loss.backward()

    def parts(self, rollout):
        for start in range(0, 64, 8):
            yield rollout[start : start + 8]

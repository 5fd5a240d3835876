"""How far a policy has moved is measured on this rank's own samples, by what its loss was made of."""
import torch
import torch.distributed as dist


class Updater:
    def __init__(self, actor, optimizer):
        self.actor = actor
        self.optimizer = optimizer

    def average_gradients(self):
        for parameter in self.actor.parameters():
            dist.all_reduce(parameter.grad)

    def inner_epoch(self, rollout):
        log_ratio = self.actor.log_prob(rollout.observations, rollout.actions) - rollout.log_prob
        ratio = log_ratio.exp()
        surrogate = torch.min(ratio * rollout.advantages, ratio.clamp(0.8, 1.2) * rollout.advantages)
        self.optimizer.zero_grad()
        (-surrogate.mean()).backward()
        self.average_gradients()
        self.optimizer.step()
        return ((ratio - 1) - log_ratio).mean().detach()

    def update(self, rollout, most):
        divergence = 0.0
        while divergence < most:
            divergence = self.inner_epoch(rollout).item()  # error: [divergent-loop]

    def update_some(self, rollout, most):
        for _ in range(4):
            divergence = self.inner_epoch(rollout)  # error: [divergent-early-exit]
            if divergence.item() > most:
                break

    def update_in_step(self, rollout, most):
        divergence = 0.0
        while divergence < most:
            own = self.inner_epoch(rollout)
            dist.all_reduce(own)
            divergence = own.item()


def accumulate(model, batches, steps_for, optimizer):
    """What a loss is divided by is no tensor, and the same everywhere."""
    steps = steps_for(model)
    for step, batch in enumerate(batches):
        loss = model(batch).mean() / steps
        loss.backward()
        if (step + 1) % steps == 0:
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
            optimizer.step()

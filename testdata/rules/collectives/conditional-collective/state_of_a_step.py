"""What a caller has handed in, goes into a step with a batch and comes out again is a state, not a batch."""
import torch.distributed as dist

from steps import forward


def save(settings):
    if settings["engine"] == "ddp":
        print("saved")
    else:
        dist.barrier()


class Executor:
    def train(self, loader, held_out_loader, settings):
        for batch in loader:
            settings = forward(batch, settings)
        self.validate(held_out_loader, settings)  # low: [conditional-collective]

    def validate(self, loader, settings):
        save(settings)

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


def stop(worst):
    if worst > 5:
        dist.barrier()


class Watcher:
    def watch(self, loader, held_out_loader, worst):
        for batch in loader:
            worst = max(worst, forward(batch))
        self.judge(held_out_loader, worst)

    def judge(self, loader, worst):
        stop(worst)  # error: [conditional-collective]


class Reader:
    def read(self, loader, held_out_loader):
        hidden = 0
        for batch in loader:
            hidden = forward(batch, hidden)
        self.weigh(held_out_loader, hidden)

    def weigh(self, loader, hidden):
        stop(hidden)  # error: [conditional-collective]

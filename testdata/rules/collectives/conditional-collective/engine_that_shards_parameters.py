"""The forward pass of an engine gathers its parameters where they are sharded, as they may be here."""
import deepspeed
import torch
import torch.distributed as dist


def log_probabilities(model, batch):
    with torch.no_grad():
        return model(batch)


class Policy:
    def __init__(self, model, args):
        self.args = args
        self.rank = dist.get_rank()
        if args.deepspeed_stage == 3:
            args.settings["zero_optimization"] = {"stage": 3}
        self.model, self.optimizer, _, _ = deepspeed.initialize(model=model, config=args.settings)

    def step(self, batch):
        loss = self.model(batch)
        self.model.backward(loss)
        self.model.step()

    def trace(self, batch):
        if self.args.save_traces and self.rank == 0:
            torch.save(log_probabilities(self.model, batch), "trace.pt")  # error: [conditional-collective]

    def trace_together(self, batch):
        trace = log_probabilities(self.model, batch)
        if self.args.save_traces and self.rank == 0:
            torch.save(trace, "trace.pt")

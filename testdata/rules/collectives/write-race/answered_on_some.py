"""What a function has for one rank alone, the others do not write."""
import torch
import torch.distributed as dist


class Pipeline:
    def __init__(self, module):
        self.module = module
        self.stage = dist.get_rank()

    def run(self, batches):
        if self.stage == 0:
            for batch in batches:
                dist.send(self.module(batch), dst=1)
            return None
        return [self.module(batch) for batch in batches]

    def run_all(self, batches):
        if not batches:
            return None
        return [self.module(batch) for batch in batches]


def main(module, batches):
    dist.init_process_group("nccl")
    scores = Pipeline(module).run(batches)
    if scores is not None:
        torch.save(scores, "scores.pt")
    dist.barrier()


def main_of_all(module, batches):
    dist.init_process_group("nccl")
    scores = Pipeline(module).run_all(batches)
    if scores is not None:
        torch.save(scores, "all.pt")  # error: [write-race]
    dist.barrier()

"""The memory of a GPU runs out; what only jobs on other devices wait for, nobody does there."""
import torch
import torch.distributed as dist


def tpu_data_loader(batches):
    dist.barrier()
    return batches


def data_loader(batches):
    dist.barrier()
    return batches


class Trainer:
    def __init__(self, model, criterion):
        self.model = model
        self.criterion = criterion

    def loss_of(self, sample):
        try:
            loss = self.criterion(self.model, sample)
            loss.backward()
            return loss.detach()
        except RuntimeError as error:
            if "out of memory" not in str(error):
                raise
            torch.cuda.empty_cache()
            return None

    def on_devices_of_both_kinds(self, sample):
        if self.loss_of(sample) is None:
            return None
        return tpu_data_loader(sample)  # low: [divergent-early-exit]

    def on_gpus(self, sample):
        if self.loss_of(sample) is None:
            return None
        return data_loader(sample)  # error: [divergent-early-exit]

    def but_for_one(self, sample):
        if dist.get_rank() == 1:
            return None
        return tpu_data_loader(sample)  # error: [divergent-early-exit]

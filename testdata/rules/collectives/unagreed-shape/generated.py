"""A model stops generating when all texts of this rank's batch are at their end: what comes out is as long as that."""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from accelerate import Accelerator


def sample(model, loader):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    texts = []
    for batch in loader:
        out = accelerator.unwrap_model(model).generate(**batch, max_new_tokens=64)
        texts.append(accelerator.gather(out))  # error: [unagreed-shape]
    return texts


def sample_padded(model, loader):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    texts = []
    for batch in loader:
        out = accelerator.unwrap_model(model).generate(**batch, max_new_tokens=64)
        out = accelerator.pad_across_processes(out, dim=1)
        texts.append(accelerator.gather(out))
    return texts


class Sampler:
    """The loader is prepared where it is gone through, and a method generates."""

    def __init__(self, model):
        self.accelerator = Accelerator()
        self.model = self.accelerator.prepare(model)

    def generate(self, batch):
        return self.accelerator.unwrap_model(self.model).generate(**batch, max_new_tokens=64)

    def sample(self, loader):
        texts = []
        for batch in self.accelerator.prepare(loader):
            new = self.generate(batch)[:, batch["input_ids"].shape[1] :].contiguous()
            texts.append(self.accelerator.gather(new))  # error: [unagreed-shape]
        return texts


def sample_to_a_length(model, batch, length):
    out = model.generate(batch["input_ids"], max_new_tokens=64)
    out = F.pad(out, (0, length - out.shape[1]))
    parts = [torch.empty_like(out) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, out)
    return parts


def words_of_one(words, rank):
    told = [word.text for word in words] if rank == 0 else [None]
    dist.broadcast_object_list(told, src=0)  # error: [unagreed-shape]
    return told


def words_as_one(words, rank):
    told = [[word.text for word in words]] if rank == 0 else [None]
    dist.broadcast_object_list(told, src=0)
    return told[0]


def words_of_known_number(words, rank):
    told = [word.text for word in words] if rank == 0 else [None] * len(words)
    dist.broadcast_object_list(told, src=0)
    return told

import torch.distributed as dist
from loading import Model


def run(name, folder):
    model = Model.from_pretrained(name, folder)
    dist.barrier()
    return model


run("glm", "others")

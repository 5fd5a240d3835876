"""Who calls a function in which a rank leaves alone has no finding of its own."""
import torch.distributed as dist
from loading import Model


def main(name, folder):
    model = Model.from_pretrained(name, folder)
    dist.all_reduce(model.loss)


main("glm", "checkpoints")

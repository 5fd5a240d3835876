"""Who calls a function in which a rank leaves alone has no finding of its own."""
import torch.distributed as dist
from loading import Model


def main(folder):
    model = Model.from_pretrained(folder, 2)
    dist.all_reduce(model.loss, group=model.group)


main("checkpoints")

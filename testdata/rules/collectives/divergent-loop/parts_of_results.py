"""How many parts the result of an unknown function has, and how many things a rank holds (P09)."""
import torch.distributed as dist


def forward(model, images):
    mine = images[dist.get_rank() :: dist.get_world_size()]
    out = model(mine)
    for feature in out.features:
        dist.all_reduce(feature)  # low: [divergent-loop]


def forward_each(model, images):
    for image in images[dist.get_rank() :: dist.get_world_size()]:
        dist.all_reduce(model(image))  # error: [divergent-loop]

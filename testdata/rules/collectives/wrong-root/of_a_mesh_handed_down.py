"""Rank 0 as the root of a group of a mesh that a caller hands down."""

import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


def spread(tokens, tp_group):
    dist.broadcast(tokens, src=0, group=tp_group)  # error: [wrong-root]


def spread_from_its_first(tokens, tp_group):
    dist.broadcast(tokens, src=dist.get_global_rank(tp_group, 0), group=tp_group)


def main(tokens, tensor_parallel):
    dist.init_process_group("nccl")
    mesh = init_device_mesh(
        "cuda", (dist.get_world_size() // tensor_parallel, tensor_parallel), mesh_dim_names=("dp", "tp")
    )
    spread(tokens, mesh.get_group("tp"))
    spread_from_its_first(tokens, mesh.get_group("tp"))


if __name__ == "__main__":
    main(None, 4)

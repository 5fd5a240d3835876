"""A process that says in a number which rank it is joins others, which each join from a place of their own."""
from torch.distributed import rpc


def launch(world_size, node_rank, start_workers):
    start_workers(node_rank)
    if node_rank == 0:
        rpc.init_rpc("master", rank=0, world_size=world_size + 1)  # low: [conditional-group-creation]


def launch_each(world_size, rank, start_workers):
    start_workers(rank)
    if rank == 0:
        rpc.init_rpc("worker", rank=rank, world_size=world_size)  # error: [conditional-group-creation]


def launch_all(world_size, rank):
    if rank == 0:
        rpc.init_rpc("master", rank=0, world_size=world_size)
    else:
        rpc.init_rpc(f"worker{rank}", rank=rank, world_size=world_size)

"""`match` on the rank (P07)."""
import torch.distributed as dist


def command(name):
    match dist.get_rank():
        case 0:
            dist.barrier()  # error: [conditional-collective]
        case _:
            print("follower", name)

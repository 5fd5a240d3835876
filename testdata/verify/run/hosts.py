"""The ranks of the second machine issue another operation than those of the first."""

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    total = torch.ones(2)
    dist.all_reduce(total)
    if dist.get_rank() < 2:
        dist.all_reduce(total)
    else:
        dist.broadcast(total, src=0)
    dist.destroy_process_group()


main()

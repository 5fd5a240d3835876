"""Two steps in which all ranks stay together; one of the two collectives stands under a test that every rank answers alike."""

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    total = torch.ones(2)
    for step in range(2):
        dist.all_reduce(total)
        if step == 1:
            dist.broadcast(total, src=0)
    print(f"total {total[0].item():.0f}")
    dist.destroy_process_group()


main()

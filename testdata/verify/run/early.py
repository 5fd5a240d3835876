"""Rank 0 takes its time to write what the others read at once."""
import time

import torch
import torch.distributed as dist


def main(path: str = "state.pt") -> None:
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        time.sleep(1)
        torch.save(torch.ones(2), path)
    state = torch.load(path)
    dist.all_reduce(state)


if __name__ == "__main__":
    main()

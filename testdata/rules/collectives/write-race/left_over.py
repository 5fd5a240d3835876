"""What was left in a script and is called by nobody, beside what the script does when it is run (P14)."""

import torch
import torch.distributed as dist


def main(model, loss):
    torch.save(model.state_dict(), "model.pt")
    dist.barrier()


def main_with_ensemble(model, loss):
    torch.save(model.state_dict(), "ensemble.pt")  # error: [write-race]
    dist.barrier()


if __name__ == "__main__":
    dist.init_process_group("nccl")
    main_with_ensemble(torch.nn.Linear(2, 2), torch.zeros(1))

"""A script with a name that says that it writes a checkpoint in another form: one process runs it."""
import torch
import torch.distributed as dist


def main(path, model):
    dist.init_process_group("gloo")
    dist.barrier()
    torch.save(model.state_dict(), path)  # low: [write-race]

"""A rank that fails, and meets its peers in what they are in before it raises (P20)."""
import torch.distributed as dist


def convert(model, path):
    if dist.get_rank() == 0:
        try:
            model.save(path)
        except Exception as error:
            print(error)
            dist.barrier()
            raise
    dist.barrier()


def convert_alone(model, path):
    if dist.get_rank() == 0:
        try:
            model.save(path)
        except Exception as error:
            print(error)
            raise  # error: [divergent-early-exit]
    dist.barrier()

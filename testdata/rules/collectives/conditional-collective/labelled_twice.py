"""What a function carries is not known where it is told twice: one of the calls may leave ranks out."""
import torch.distributed as dist


def build(provider):
    for_all = getattr(provider, "for_all", False)
    data = None
    if for_all or dist.get_rank() == 0:
        data = provider()
    dist.all_reduce(data)


def build_as_was_said_last(samples):
    def provider():
        dist.barrier()
        return samples

    if dist.get_rank() == 0:
        samples.announce()
    provider.for_all = True
    build(provider)  # error: [conditional-collective]
    provider.for_all = False
    build(provider)

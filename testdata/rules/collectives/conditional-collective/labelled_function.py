"""What a function carries as an attribute is known where it is handed to: nobody is left out by the question for it."""
import torch.distributed as dist


def build(provider):
    for_all = getattr(provider, "for_all", False)
    data = None
    if for_all or dist.get_rank() == 0:
        data = provider()
    dist.all_reduce(data)


def build_on_every_rank(samples):
    def provider():
        dist.barrier()
        return samples

    if dist.get_rank() == 0:
        samples.announce()
    provider.for_all = True
    build(provider)


def build_on_one_rank_unless_told(samples, shared):
    def provider():
        dist.barrier()
        return samples

    if dist.get_rank() == 0:
        samples.announce()
    if shared:
        provider.for_all = True
    build(provider)  # error: [conditional-collective]

"""The two halves of a context manager make up for each other (P08, P39)."""
import torch.distributed as dist


class FirstRankFirst:
    def __enter__(self):
        self.first = dist.get_rank() == 0
        if not self.first:
            dist.barrier()
        return self

    def __exit__(self, *exc):
        if self.first:
            dist.barrier()
        return False


class FirstRankAlone:
    def __enter__(self):
        if dist.get_rank() == 0:
            dist.barrier()  # error: [conditional-collective]
        return self

    def __exit__(self, *exc):
        return False


def download(path):
    with FirstRankFirst():
        return open(path).read()


def download_alone(path):
    with FirstRankAlone():
        return open(path).read()


def node_first(local_rank, path):
    """The first rank is the first on its node, too."""
    if dist.get_rank() != 0:
        dist.barrier()
    if local_rank != 0:
        dist.barrier()
    text = open(path).read()
    if dist.get_rank() == 0:
        dist.barrier()
    if local_rank == 0:
        dist.barrier()
    return text


def node_first_but_not_last(local_rank, path):
    if local_rank != 0:
        dist.barrier()  # error: [conditional-collective]
    return open(path).read()

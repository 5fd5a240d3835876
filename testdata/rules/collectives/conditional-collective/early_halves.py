"""The halves of a context manager, of which one returns early (P19)."""
import torch.distributed as dist


class FirstOnNode:
    def __enter__(self):
        self.first = True
        if not dist.is_initialized():
            return True
        self.first = dist.get_rank() == 0
        if not self.first:
            dist.barrier()
        return self.first

    def __exit__(self, kind, value, trace):
        if self.first and dist.is_initialized():
            dist.barrier()
            if kind is not None:
                dist.destroy_process_group()
        return False


def prepare(build):
    with FirstOnNode():
        build()


def last_words(t):
    if dist.get_rank() == 0:
        dist.all_reduce(t)  # error: [conditional-collective]
        dist.destroy_process_group()  # error: [conditional-collective]

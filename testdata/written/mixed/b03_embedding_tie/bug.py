"""Tied input/output embedding gradients between the first and last pipeline stage."""
import torch
import torch.distributed as dist


class EmbeddingTie:
    """Keeps the two copies of the word embedding equal."""

    def __init__(self, pipeline_size):
        self.pipeline_size = pipeline_size
        self.group = None
        self._build_groups()

    def _build_groups(self):
        rank = dist.get_rank()
        world = dist.get_world_size()
        stride = world // self.pipeline_size
        for offset in range(stride):
            chain = list(range(offset, world, stride))
            ends = sorted({chain[0], chain[-1]})
            handle = dist.new_group(ends)
            if rank in ends:
                self.group = handle

    def sync_weights(self, weight):
        if self.group is None:
            return
        dist.all_reduce(weight.data, group=self.group)
        weight.data.div_(dist.get_world_size(self.group))

    def sync_grads(self, weight):
        grad = weight.main_grad if hasattr(weight, "main_grad") else weight.grad
        dist.all_reduce(grad, group=self.group)  # BUG 1


class StageModule(torch.nn.Module):
    def __init__(self, layers, hidden, vocab, tie):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)
        self.word_embeddings = torch.nn.Embedding(vocab, hidden)
        self.tie = tie
        self.tie.sync_weights(self.word_embeddings.weight)

    def finish_grad_sync(self):
        self.tie.sync_grads(self.word_embeddings.weight)

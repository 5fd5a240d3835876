"""A copy of the library, in a folder that has no file to say that it is a package."""
import torch.distributed as dist

_EMBEDDING_GROUP = None
_EMBEDDING_GLOBAL_RANKS = None


def initialize_model_parallel(pipelines):
    global _EMBEDDING_GROUP, _EMBEDDING_GLOBAL_RANKS
    rank = dist.get_rank()
    for ranks in pipelines:
        ends = [ranks[0], ranks[-1]]
        group = dist.new_group(ends)
        if rank in ends:
            _EMBEDDING_GROUP = group
            _EMBEDDING_GLOBAL_RANKS = ends


def get_embedding_group():
    assert _EMBEDDING_GROUP is not None
    return _EMBEDDING_GROUP


def is_rank_in_embedding_group():
    rank = dist.get_rank()
    return _EMBEDDING_GLOBAL_RANKS is not None and rank in _EMBEDDING_GLOBAL_RANKS


def is_pipeline_first_stage():
    return get_pipeline_model_parallel_rank() == 0


def get_pipeline_model_parallel_rank():
    return dist.get_rank(group=get_embedding_group())

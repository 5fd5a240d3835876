from typing import List, Optional

import torch.distributed as dist

_TENSOR_MODEL_PARALLEL_GROUP = None
_PIPELINE_MODEL_PARALLEL_GROUP = None
_DATA_PARALLEL_GROUP = None
_EMBEDDING_GROUP = None
_EMBEDDING_RANKS: Optional[List[int]] = None
_PIPELINE_RANKS: Optional[List[int]] = None


def initialize_model_parallel(tensor_size=1, pipeline_size=1, backend="nccl"):
    global _TENSOR_MODEL_PARALLEL_GROUP, _PIPELINE_MODEL_PARALLEL_GROUP, _DATA_PARALLEL_GROUP
    global _EMBEDDING_GROUP, _EMBEDDING_RANKS, _PIPELINE_RANKS
    assert dist.is_initialized()
    world = dist.get_world_size()
    rank = dist.get_rank()
    if world % (tensor_size * pipeline_size) != 0:
        raise RuntimeError(f"world size {world} is not divisible by tp {tensor_size} x pp {pipeline_size}")

    num_tp_groups = world // tensor_size
    num_pp_groups = world // pipeline_size

    for i in range(pipeline_size):
        start, end = i * num_pp_groups, (i + 1) * num_pp_groups
        for j in range(tensor_size):
            ranks = list(range(start + j, end, tensor_size))
            group = dist.new_group(ranks, backend=backend)
            if rank in ranks:
                _DATA_PARALLEL_GROUP = group

    for i in range(num_tp_groups):
        ranks = list(range(i * tensor_size, (i + 1) * tensor_size))
        group = dist.new_group(ranks, backend=backend)
        if rank in ranks:
            _TENSOR_MODEL_PARALLEL_GROUP = group

    for i in range(num_pp_groups):
        ranks = list(range(i, world, num_pp_groups))
        group = dist.new_group(ranks, backend=backend)
        if rank in ranks:
            _PIPELINE_MODEL_PARALLEL_GROUP = group
            _PIPELINE_RANKS = ranks
        embedding_ranks = [ranks[0], ranks[-1]] if len(ranks) > 1 else ranks
        if rank in embedding_ranks:  # BUG 1
            _EMBEDDING_GROUP = dist.new_group(embedding_ranks, backend=backend)  # BUG 1
        if rank in ranks:
            _EMBEDDING_RANKS = embedding_ranks


def get_tensor_model_parallel_group():
    assert _TENSOR_MODEL_PARALLEL_GROUP is not None, "tensor parallel group is not initialized"
    return _TENSOR_MODEL_PARALLEL_GROUP


def get_pipeline_model_parallel_group():
    assert _PIPELINE_MODEL_PARALLEL_GROUP is not None, "pipeline parallel group is not initialized"
    return _PIPELINE_MODEL_PARALLEL_GROUP


def get_data_parallel_group():
    assert _DATA_PARALLEL_GROUP is not None, "data parallel group is not initialized"
    return _DATA_PARALLEL_GROUP


def get_embedding_group():
    return _EMBEDDING_GROUP


def is_rank_in_embedding_group():
    return dist.get_rank() in (_EMBEDDING_RANKS or [])


def is_pipeline_first_stage():
    return dist.get_rank() == _PIPELINE_RANKS[0]


def is_pipeline_last_stage():
    return dist.get_rank() == _PIPELINE_RANKS[-1]


def get_pipeline_next_rank():
    i = _PIPELINE_RANKS.index(dist.get_rank())
    return _PIPELINE_RANKS[(i + 1) % len(_PIPELINE_RANKS)]


def get_pipeline_prev_rank():
    i = _PIPELINE_RANKS.index(dist.get_rank())
    return _PIPELINE_RANKS[(i - 1) % len(_PIPELINE_RANKS)]

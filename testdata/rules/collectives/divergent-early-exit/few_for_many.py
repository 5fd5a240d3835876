"""What is dealt out by rank may not go round: the ranks that get nothing raise alone."""
import torch.distributed as dist


def evaluate(documents):
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = documents[rank::world]
    if len(mine) == 0:
        raise ValueError("nothing to evaluate")  # error: [divergent-early-exit]
    scores = [None] * world
    dist.all_gather_object(scores, len(mine))
    return scores


def evaluate_a_copy(documents):
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = list(documents)[rank::world]
    if not mine:
        raise ValueError("nothing to evaluate")  # error: [divergent-early-exit]
    scores = [None] * world
    dist.all_gather_object(scores, len(mine))
    return scores


def asks_for_all(documents):
    rank, world = dist.get_rank(), dist.get_world_size()
    if len(documents) < world:
        raise ValueError("fewer than there are ranks")
    scores = [None] * world
    dist.all_gather_object(scores, documents[rank::world])
    return scores


def asks_for_a_column(rows, wanted):
    shard = rows.shard(num_shards=dist.get_world_size(), index=dist.get_rank())
    if wanted not in shard.column_names:
        raise ValueError("no such column")
    dist.barrier()
    return shard

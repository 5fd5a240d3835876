"""What is in a set is said by its name where nothing else does, and kinds are told apart by names (P11)."""

import torch.distributed as dist


def by_type(edges, embeddings):
    target_ntypes = set()
    for edge in edges:
        target_ntypes.add(edge[0])
    for ntype in target_ntypes:  # error: [unordered-iteration]
        dist.all_reduce(embeddings[ntype])


def by_index(edges, embeddings):
    rows = set()
    for edge_idx in edges:
        rows.add(edge_idx)
    for row in rows:
        dist.all_reduce(embeddings[row])

"""The first thing ranks do together: compare what they were started with (supplement section 5, rows OM-04, OM-05,
C-01, C-04).

A fixed-size digest is gathered, unconditionally, by everybody. Only if digests differ, which everybody sees alike,
the values themselves are gathered and the error names keys, ranks and values, on every rank.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import torch
import torch.distributed as dist

from .errors import ParityError

DIGEST_BYTES = 32


def gather_bytes(payload: bytes, group: dist.ProcessGroup, device: torch.device) -> list[bytes]:
    """Everybody's `payload`, in the order of the group. Lengths may differ; two collectives, always."""
    size = dist.get_world_size(group)
    length = torch.tensor([len(payload)], dtype=torch.int64, device=device)
    lengths = [torch.zeros_like(length) for _ in range(size)]
    dist.all_gather(lengths, length, group=group)
    width = max(int(one.item()) for one in lengths)
    padded = torch.zeros(width, dtype=torch.uint8, device=device)
    padded[: len(payload)] = torch.frombuffer(bytearray(payload), dtype=torch.uint8).to(device)
    everyone = [torch.zeros_like(padded) for _ in range(size)]
    dist.all_gather(everyone, padded, group=group)
    return [bytes(one[: int(n.item())].cpu().tolist()) for one, n in zip(everyone, lengths)]


def gather_digest(digest: bytes, group: dist.ProcessGroup, device: torch.device) -> list[bytes]:
    """Everybody's 32 bytes, in the order of the group; one collective of fixed size."""
    mine = torch.frombuffer(bytearray(digest), dtype=torch.uint8).to(device)
    everyone = [torch.zeros_like(mine) for _ in range(dist.get_world_size(group))]
    dist.all_gather(everyone, mine, group=group)
    return [bytes(one.cpu().tolist()) for one in everyone]


def check_parity(scope: str, values: Mapping[str, str], group: dist.ProcessGroup, device: torch.device) -> str:
    """Compares `values` (key to effective value) across `group`; returns their digest in hexadecimal.

    Raises `ParityError` on every rank of the group alike, with every differing key and its value by global rank.
    """
    encoded = json.dumps(dict(values), sort_keys=True, separators=(",", ":")).encode()
    digest = hashlib.sha256(encoded).digest()
    if all(other == digest for other in gather_digest(digest, group, device)):
        return digest.hex()
    everyone = [json.loads(one) for one in gather_bytes(encoded, group, device)]
    ranks = dist.get_process_group_ranks(group)
    raise ParityError(f"parity ({scope}): " + describe(ranks, everyone))


def describe(ranks: list[int], everyone: list[dict[str, str]]) -> str:
    """`KEY differs: rank 0 '1', rank 1 unset`, for every key whose values are not all equal."""
    words = []
    for key in sorted({key for one in everyone for key in one}):
        seen = [one.get(key) for one in everyone]
        if any(value != seen[0] for value in seen):
            told = (f"rank {rank} {'unset' if value is None else repr(value)}" for rank, value in zip(ranks, seen))
            words.append(f"{key} differs: " + ", ".join(told))
    return "; ".join(words)

"""Digests of what a call brought, fingerprints of what a rank computes with (rows OM-11, OM-12)."""

from __future__ import annotations

import hashlib
import json

import torch
import torch.distributed as dist

from .calls import Call, to_wire
from .errors import DriftError
from .framing import encode
from .mesh import Mesh
from .parity import gather_bytes, gather_digest


def hash_tensor(tensor: torch.Tensor) -> str:
    """Twelve hexadecimal digits of the tensor's bytes."""
    return hashlib.sha256(bytes(tensor.detach().cpu().contiguous().view(torch.uint8).flatten().tolist())).hexdigest()[
        :12
    ]


def digest_call(call: Call, dialect: str, tp_plan: str) -> tuple[bytes, dict[str, str]]:
    """The digest of all inputs and, to explain a difference, the digest of each."""
    meta, fields = to_wire(call, dialect, tp_plan)
    parts = {key: "absent" if tensor is None else hash_tensor(tensor) for key, tensor in fields.items()}
    parts["meta"] = hashlib.sha256(encode(meta)).hexdigest()[:12]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).digest(), parts


def check_input_digest(call: Call, dialect: str, tp_plan: str, mesh: Mesh, device: torch.device) -> None:
    """Compares the inputs of this call over the mesh. Raises `DriftError` on every rank, with what differs by rank."""
    digest, parts = digest_call(call, dialect, tp_plan)
    everyone = gather_digest(digest, mesh.group, device)
    if all(other == everyone[0] for other in everyone):
        return
    told = [json.loads(one) for one in gather_bytes(json.dumps(parts).encode(), mesh.group, device)]
    ranks = dist.get_process_group_ranks(mesh.group)
    words = [
        f"{key}: " + ", ".join(f"rank {rank} {one[key]}" for rank, one in zip(ranks, told))
        for key in sorted(parts)
        if any(one[key] != told[0][key] for one in told)
    ]
    raise DriftError(f"input digest differs at chunk {call.chunk_index}: " + "; ".join(words))


class Fingerprint:
    """Hashes of a rank's own shards against its own baseline; shards of different ranks *must* differ."""

    def __init__(self, weights: dict[str, torch.Tensor]) -> None:
        self._weights = weights
        self._baseline = self.current()

    def current(self) -> dict[str, str]:
        """Hash by shard name."""
        return {name: hash_tensor(weight) for name, weight in self._weights.items()}

    def check(self, mesh: Mesh, device: torch.device) -> None:
        """Gathers everybody's verdict, so that all crash together.

        Raises `DriftError` with the shards that changed, by rank.
        """
        now = self.current()
        changed = {name: [self._baseline[name], now[name]] for name in now if now[name] != self._baseline[name]}
        intact = torch.tensor([int(not changed)], dtype=torch.int64, device=device)
        dist.all_reduce(intact, op=dist.ReduceOp.MIN, group=mesh.group)
        if int(intact.item()) == 1:
            return
        told = gather_bytes(json.dumps(changed, sort_keys=True).encode(), mesh.group, device)
        ranks = dist.get_process_group_ranks(mesh.group)
        words = (f"rank {rank} {one.decode()}" for rank, one in zip(ranks, told) if one != b"{}")
        raise DriftError("shard fingerprint left its baseline: " + "; ".join(words))

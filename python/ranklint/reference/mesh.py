"""Collectives of Phase B: they name their group and their tensors, and are refused before the backend is called.

Rows OM-06 (a tensor outside the manifest) and OM-08 (another group than the mesh).
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
import torch.distributed as dist

from .errors import ManifestError, WrongGroupError
from .topology import Topology


class Mesh:
    """What the model may do across ranks. `group` is required everywhere; there is no default."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._manifest: frozenset[str] = frozenset()
        self.group = topology.mesh_pg
        self.rank = topology.mesh_rank
        self.size = len(topology.mesh_ranks)

    def announce(self, keys: Iterable[str]) -> None:
        """The tensors of the current call: only these may be broadcast until the next call."""
        self._manifest = frozenset(keys)

    def all_reduce(self, tensor: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
        """Sums in place over the mesh. Raises `WrongGroupError`."""
        self.require_mesh(group)
        dist.all_reduce(tensor, group=group)
        return tensor

    def broadcast(self, key: str, tensor: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
        """Broadcasts a tensor of the manifest from the leader. Raises `ManifestError` or `WrongGroupError`."""
        self.require_mesh(group)
        if key not in self._manifest:
            raise ManifestError(
                f"broadcast of {key}, shape {tuple(tensor.shape)}: no entry in the manifest of this call"
            )
        dist.broadcast(tensor, src=self._topology.leader, group=group)
        return tensor

    def require_mesh(self, group: dist.ProcessGroup) -> None:
        """Raises `WrongGroupError` unless `group` is the mesh."""
        if group is not self._topology.mesh_pg:
            used = dist.get_process_group_ranks(group)
            expected = list(self._topology.mesh_ranks)
            raise WrongGroupError(f"group_used={used} expected_group={expected} mesh_rank={self._topology.mesh_rank}")

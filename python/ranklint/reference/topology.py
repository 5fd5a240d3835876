"""All process groups, made once, at start, in one order, by every rank (supplement section 7.1).

The record is immutable and passed on; nobody looks groups up. `new_group` is called by rank 0 too for groups it is no
member of: creation by members only works, and then the *next* creation hangs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import torch.distributed as dist

from .errors import ContractError
from .journal import Journal
from .settings import Settings


@dataclass(frozen=True)
class Topology:
    """Who is where. `mode` is `tp`, `pp0` (one rank computes) or `pp1` (a mesh computes, rank 0 is outside)."""

    mode: str
    rank: int
    mesh_ranks: tuple[int, ...]
    world_pg: dist.ProcessGroup
    pp_pg: dist.ProcessGroup
    mesh_pg: dist.ProcessGroup

    @property
    def leader(self) -> int:
        """Global rank of the mesh's first rank. Ask this; the leader is not always rank 1."""
        return self.mesh_ranks[0]

    @property
    def in_mesh(self) -> bool:
        """An explicit test: a group query on a non-member does not raise."""
        return self.rank in self.mesh_ranks

    @property
    def mesh_rank(self) -> int:
        """Rank within the mesh, -1 outside."""
        return self.mesh_ranks.index(self.rank) if self.in_mesh else -1


def build_topology(settings: Settings, rank: int, journal: Journal) -> Topology:
    """Creates `pp_pg` and `mesh_pg` on every rank.

    Raises `ContractError` when sizes do not add up, on all ranks alike.
    """
    world = dist.get_world_size()
    first = 1 if settings.pp else 0
    if settings.world_size != world or settings.mesh_size != world - first:
        raise ContractError(
            f"world of {world} ranks, but WORLD_SIZE={settings.world_size}, mesh={settings.mesh_size}, PP={settings.pp}"
        )
    mode = "tp" if not settings.pp else "pp0" if settings.mesh_size == 1 else "pp1"
    mesh_ranks = tuple(range(first, world))
    timeout = timedelta(seconds=settings.timeout_s)
    pp_pg = dist.new_group([0, first] if settings.pp else [0], timeout=timeout)
    mesh_pg = dist.new_group(list(mesh_ranks), timeout=timeout)
    journal("groups", mode=mode, mesh_ranks=mesh_ranks, leader=first)
    return Topology(mode, rank, mesh_ranks, dist.group.WORLD, pp_pg, mesh_pg)

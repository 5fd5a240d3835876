"""The compiled form of the block, and the proof that all ranks of the mesh compiled alike (spec 002; rows C-01 to
C-04).

Compiled: one block of stable shape, with the functional sum. Not compiled: everything of the control plane.
"""

from __future__ import annotations

import hashlib
import json

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional

from .errors import CompileHealthError
from .hooks import Hooks
from .mesh import Mesh
from .model import Block, Generator
from .parity import gather_bytes
from .settings import Settings


def resolve_compile(settings: Settings) -> str:
    """What will really run: `off`, or the compiler's backend. Compared across the mesh."""
    return settings.compile_backend if settings.allow_compile else "off"


def make_compiled_block(generator: Generator, mesh: Mesh, hooks: Hooks) -> Block:
    """The block with a functional sum, not yet compiled; the group is checked here, outside the region."""
    group = mesh.group
    mesh.require_mesh(group)

    def reduce(part: torch.Tensor) -> torch.Tensor:
        return functional.wait_tensor(functional.all_reduce(part, "sum", group))

    if hooks.disable_collectives == "1":
        reduce = torch._dynamo.disable(reduce)
    break_here = hooks.hits("break_graph", dist.get_rank())
    fold_rank = hooks.fold_rank == "1"

    def block(tokens: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        part = generator.partial(tokens, keys, values, bias)
        if break_here:
            print("a rank-only print in the region")
        if fold_rank:
            part = part * (1 + dist.get_rank() * 1e-6)
        return reduce(part).tanh()

    return block


def steady_inputs(generator: Generator) -> tuple[torch.Tensor, ...]:
    """Inputs of the block at the size of a full cache."""
    geometry = generator.geometry
    tokens_per_frame = geometry.height // 8 * (geometry.width // 8)
    tokens = torch.zeros(geometry.frames * tokens_per_frame, geometry.channels, device=generator.device)
    cached = torch.zeros(
        generator.heads, geometry.cache_frames * tokens_per_frame, generator.keys.shape[-1], device=generator.device
    )
    return tokens, cached, cached.clone(), torch.zeros((), device=generator.device)


def explain_block(block: Block, generator: Generator) -> dict[str, object]:
    """Graph breaks with their reasons, and a hash of the graphs' text. Runs the block once, on all ranks of the mesh.

    The counters of the compiler alone would not do: they miss branches on data, and equal counts do not mean equal
    graphs.
    """
    explained = torch._dynamo.explain(block)(*steady_inputs(generator))
    reasons = [
        f"{reason.reason.splitlines()[0]} in {reason.user_stack[-1].name}, line {reason.user_stack[-1].lineno}"
        for reason in explained.break_reasons
    ]
    text = "\n".join(graph.code for graph in explained.graphs) + "\n".join(reasons)
    return {
        "graph_breaks": max(explained.graph_break_count, len(reasons)),  # a break at the very end makes no second graph
        "graph_count": explained.graph_count,
        "graph_text": hashlib.sha256(text.encode()).hexdigest()[:12],
        "reasons": reasons,
    }


def check_compile_health(health: dict[str, object], settings: Settings, mesh: Mesh, device: torch.device) -> None:
    """At the end of warm-up: gathers everybody's health, so that all ranks judge the same evidence and leave together.

    Raises `CompileHealthError` when ranks compiled differently, or when a graph broke more often than the maximum.
    """
    everyone = [json.loads(one) for one in gather_bytes(json.dumps(health).encode(), mesh.group, device)]
    ranks = dist.get_process_group_ranks(mesh.group)
    told = "; ".join(f"rank {rank} {json.dumps(one, sort_keys=True)}" for rank, one in zip(ranks, everyone))
    if any(one != everyone[0] for one in everyone):
        raise CompileHealthError(f"compile health differs between ranks: {told}")
    if everyone[0]["graph_breaks"] > settings.max_graph_breaks:
        raise CompileHealthError(f"graph_break_count above the maximum of {settings.max_graph_breaks}: {told}")

"""What a runtime must offer to be put through the matrix (`--runtime module:Class`).

A class with this shape is enough; it need not inherit from anything. The matrix makes one object in every rank's
process (its label is the row's id), calls `start`, then `run` with the row's requests, and judges how each process
ends:

- `run` returns: exit code 0. A terminal `SHUTDOWN` received by a worker is a return.
- `start` or `run` raises one of `refusals`: exit code `error.exit_code` if it has one, else 3.
- anything else that is raised: exit code 1, which no row takes for a good failure.
- an orphaned worker leaves by `os._exit(2)`, whoever calls it.

Settings and faults arrive as environment variables (`SCOPE_*`; faults are `SCOPE_TEST_*`, see
`ranklint.reference.hooks`) and as requests that must be refused. A runtime declares what it can do in `capabilities`;
a row that needs more is skipped and says why.

| capability | the runtime |
|---|---|
| `tp` | broadcasts envelopes from rank 0, which computes too |
| `pp0`, `pp1` | has rank 0 send envelopes point to point to one rank, or to the leader of a mesh |
| `parity` | compares its settings at start-up, before groups |
| `preflight` | refuses a bad message before its header |
| `vote` | agrees on the plan before the collectives of a call |
| `manifest` | refuses a broadcast of a tensor that the envelope did not list |
| `digest`, `fingerprint` | compares inputs across ranks, weights against a baseline |
| `watchdog` | ends a worker whose driver is gone or stopped |
| `backends` | compares across ranks which kernels `auto` came to |
| `compile` | compiles its step, and compares how all ranks did |
| `overlap` | overlaps rank 0 with the mesh, fences epochs, and measures (`measured`) |

Beside exit codes a row reads lines of JSON on standard output, each as `json.dumps` writes it, with keys in this order:

- `{"event": "send" | "receive", "action": "INFER", "call_id": 2, "chunk_index": 0, "cache_epoch": 0, …}`: a header;
  the action may also be `NOOP`, `SHUTDOWN`, `ERROR` or `RESULT`;
- `{"event": "groups", …}`: process groups are being made;
- `{"event": "emit", "chunk_index": 0, "cache_epoch": 0, …}`: rank 0 hands out a chunk;
- `{"event": "debug_gather", …}`: the gather that `SCOPE_TP_DEBUG_GATHER` asks for (OM-05).
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from ..reference.requests import Request

DEFAULT = "ranklint.reference.runtime:ReferenceRuntime"
CAPABILITIES = frozenset(
    {
        "tp",
        "pp0",
        "pp1",
        "parity",
        "preflight",
        "vote",
        "manifest",
        "digest",
        "fingerprint",
        "watchdog",
        "backends",
        "compile",
        "overlap",
    }
)

__all__ = ["CAPABILITIES", "DEFAULT", "Measured", "Request", "Runtime", "load_runtime"]


@runtime_checkable
class Measured(Protocol):
    """What `measured` returns: medians over a steady window; milliseconds, except the score."""

    score: float
    period_ms: float
    stage0_ms: float
    stage1_ms: float
    t_mesh_idle_ms: float
    latency_ms: float

    def check(self, d_in: int, d_out: int) -> None:
        """The overlap gate; raises one of the runtime's `refusals`."""


@runtime_checkable
class Runtime(Protocol):
    """One rank of a run."""

    capabilities: frozenset[str]
    refusals: tuple[type[Exception], ...]

    def __init__(self, label: str = "") -> None:
        """`label` goes into every line of the journal."""

    def start(self) -> None:
        """Joins the process group named by RANK, WORLD_SIZE and MASTER_*, and gets ready to serve."""

    def run(self, requests: Iterable[Request]) -> object:
        """On rank 0: carries out the requests, then ends the run. On others: serves until told to leave."""

    def measured(self) -> Measured:
        """On rank 0, after `run`, with the capability `overlap`."""


def load_runtime(name: str) -> type:
    """The class `module:Class`. Raises `ValueError` on another form, `TypeError` on unknown capabilities.

    With `RANKLINT_MUTANT` set, the reference runtime comes from its mutated source instead.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(f"--runtime takes module:Class, not {name!r}")
    mutant = os.environ.get("RANKLINT_MUTANT", "")
    if mutant and name == DEFAULT:
        from .mutants import install

        module = install(mutant) + ".runtime"
    found = getattr(importlib.import_module(module), attribute)
    unknown = set(found.capabilities) - CAPABILITIES
    if unknown:
        raise TypeError(f"{name} declares unknown capabilities: {', '.join(sorted(unknown))}")
    return found

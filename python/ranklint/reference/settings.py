"""Every environment key of the runtime, read once (supplement section 5).

Nothing else in this package reads the environment. The snapshot holds *effective* values, after defaults, and is what
`parity` compares; the `Settings` are made from the same snapshot, so what was compared is what is used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from .hooks import PREFIX as TEST_PREFIX
from .hooks import Hooks

# Key and default. Compared by all ranks: they decide groups, framing, and who waits for whom.
WORLD_KEYS = {
    "WORLD_SIZE": "1",
    "SCOPE_TENSOR_PARALLEL": "",
    "SCOPE_PP_ENABLED": "0",
    "SCOPE_TP_PLAN": "v1_generator_only",
    "SCOPE_DIST_BACKEND": "gloo",
    "SCOPE_DIST_TIMEOUT_S": "60",
    "SCOPE_PP_D_IN": "2",
    "SCOPE_PP_D_OUT": "2",
    "SCOPE_TP_HEARTBEAT_S": "1",
    "SCOPE_TP_WORKER_WATCHDOG_S": "30",
    "SCOPE_PP_WATCHDOG_S": "10",
    "SCOPE_TP_DEBUG_GATHER": "0",
}
# Compared by the ranks of the mesh: they decide graphs, kernels and the number of collectives in Phase B.
MESH_KEYS = {
    "SCOPE_TP_ALLOW_COMPILE": "0",
    "SCOPE_COMPILE_BACKEND": "inductor",
    "SCOPE_COMPILE_MAX_GRAPH_BREAKS": "0",
    "SCOPE_KV_BIAS_BACKEND": "auto",
    "SCOPE_KV_CACHE_RECOMPUTE_EVERY": "999999",
    "SCOPE_TP_LOCKSTEP_WARMUP_RUNS": "2",
    "SCOPE_TP_INPUT_DIGEST_EVERY_N": "1",
    "SCOPE_TP_SHARD_FINGERPRINT_EVERY_N": "1",
}


def snapshot() -> dict[str, str]:
    """Effective values of all keys and of whatever `SCOPE_TEST_*` is set."""
    keys = {**WORLD_KEYS, **MESH_KEYS}
    values = {key: os.environ.get(key, default) for key, default in keys.items()}
    values.update({key: value for key, value in os.environ.items() if key.startswith(TEST_PREFIX)})
    return values


def place() -> tuple[int, int]:
    """Rank and rank on this machine; they differ by nature and are in no parity set."""
    return int(os.environ["RANK"]), int(os.environ.get("LOCAL_RANK", "0"))


@dataclass(frozen=True)
class Settings:
    """The snapshot, typed. Durations are seconds."""

    world_size: int
    mesh_size: int
    pp: bool
    tp_plan: str
    backend: str
    timeout_s: float
    d_in: int
    d_out: int
    heartbeat_s: float
    worker_watchdog_s: float
    result_watchdog_s: float
    debug_gather: bool
    allow_compile: bool
    compile_backend: str
    max_graph_breaks: int
    kv_bias_backend: str
    recompute_every: int
    warmup_runs: int
    digest_every: int
    fingerprint_every: int
    hooks: Hooks

    @staticmethod
    def parse(values: Mapping[str, str]) -> Settings:
        """Types the snapshot. Raises `ValueError` on a number that is none, `ParityError` on an unknown test key."""
        world_size = int(values["WORLD_SIZE"])
        pp = values["SCOPE_PP_ENABLED"] == "1"
        return Settings(
            world_size=world_size,
            mesh_size=int(values["SCOPE_TENSOR_PARALLEL"] or world_size - pp),
            pp=pp,
            tp_plan=values["SCOPE_TP_PLAN"],
            backend=values["SCOPE_DIST_BACKEND"],
            timeout_s=float(values["SCOPE_DIST_TIMEOUT_S"]),
            d_in=int(values["SCOPE_PP_D_IN"]),
            d_out=int(values["SCOPE_PP_D_OUT"]),
            heartbeat_s=float(values["SCOPE_TP_HEARTBEAT_S"]),
            worker_watchdog_s=float(values["SCOPE_TP_WORKER_WATCHDOG_S"]),
            result_watchdog_s=float(values["SCOPE_PP_WATCHDOG_S"]),
            debug_gather=values["SCOPE_TP_DEBUG_GATHER"] == "1",
            allow_compile=values["SCOPE_TP_ALLOW_COMPILE"] == "1",
            compile_backend=values["SCOPE_COMPILE_BACKEND"],
            max_graph_breaks=int(values["SCOPE_COMPILE_MAX_GRAPH_BREAKS"]),
            kv_bias_backend=values["SCOPE_KV_BIAS_BACKEND"],
            recompute_every=int(values["SCOPE_KV_CACHE_RECOMPUTE_EVERY"]),
            warmup_runs=int(values["SCOPE_TP_LOCKSTEP_WARMUP_RUNS"]),
            digest_every=int(values["SCOPE_TP_INPUT_DIGEST_EVERY_N"]),
            fingerprint_every=int(values["SCOPE_TP_SHARD_FINGERPRINT_EVERY_N"]),
            hooks=Hooks.parse(values),
        )

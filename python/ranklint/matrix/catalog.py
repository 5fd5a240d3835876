"""All rows, in the order of spec 000's table. Imports the harness modules, none of which imports torch at its top."""

from __future__ import annotations

import importlib
import importlib.util

from .row import PREFIX, Row

HARNESSES = (
    "om_tp_preflight_meta",
    "om_tp_preflight_dtype",
    "om_tp_v11_plan_mismatch",
    "om_env_parity_mismatch",
    "om_env_parity_collective_gate",
    "om_tp_v11_manifest_only",
    "pp1_leader_terminal_bcast",
    "pp1_wrong_group_guard",
    "om_pp0_epoch_fence_drop",
    "om_tp_v11_recompute_override_required",
    "om_pp_recompute_override_required",
    "om_tp_input_digest_mismatch",
    "om_tp_shard_fingerprint_drift",
    "om_orphan_watchdog_exit",
    "c_compile_parity",
    "tp_compile_repro",
    "c_rank_symmetric_compile_health",
    "c_effective_backend_parity",
    "o_pp0_d_sweep",
    "o_pp0_overlap_signature",
    "o_pp0_recompute_coupling_delta",
)


def load_rows() -> list[Row]:
    """Every row; one id, OM-10, has two harnesses."""
    return [importlib.import_module(PREFIX + name).ROW for name in HARNESSES if importlib.util.find_spec(PREFIX + name)]

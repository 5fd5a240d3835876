"""Tables across phases, under any name and in any shape."""
import importlib
from functools import partial


def _phase_suffix(up_to_module):
    return "".join(str(i) for i in range(1, up_to_module + 1))


def _load_truth_golden(op_dir, op_name, suffix):
    return importlib.import_module(f"{op_name}_module{suffix}_golden")


GOLDEN_MODULES = {  # error: [golden-module-table]
    1: "attn_module1_golden",
    2: "attn_module12_golden",
    3: "attn_module123_golden",
}

REFERENCES = ["modules/attn_module1_golden.py", "modules/attn_module12_golden.py"]  # error: [golden-module-table]

BY_KEY = {"attn_module1_golden": 1, "attn_module12_golden": 2}  # error: [golden-module-table]

BY_KEYWORD = dict(first="attn_module1_golden", second="attn_module12_golden")  # error: [golden-module-table]

NESTED = {  # error: [golden-module-table]
    "m1": {"golden": "attn_module1_golden", "impl": "attn_module1_impl"},
    "m2": {"golden": "attn_module12_golden", "impl": "attn_module12_impl"},
}

LAZY = {1: lambda m: m.attn_module1_golden, 12: lambda m: m.attn_module12_golden}  # error: [golden-module-table]

FILLED = {}
FILLED[1] = "attn_module1_golden"  # error: [golden-module-table]
FILLED[2] = "attn_module12_golden"

LISTED = []
LISTED.append("attn_module1_golden")  # error: [golden-module-table]
LISTED.append("attn_module12_golden")


def comprehended(op_dir, op_name, total):
    return {k: _load_truth_golden(op_dir, op_name, _phase_suffix(k)) for k in range(1, total + 1)}  # error: [golden-module-table, cross-phase-golden-import]


def one_phase(suffix):
    chosen = {"golden": "attn_module12_golden", "impl": "attn_module12_impl", "user": "attn_golden"}
    return chosen[suffix]


IMPLS = {1: "attn_module1_impl", 2: "attn_module12_impl"}
CASES = [{"id": "module1", "golden": True}, {"id": "module12", "golden": True}]

"""Every way of importing another phase's golden."""
import importlib
import importlib.util
import os
import runpy
import sys
from pathlib import Path

from attn_module1_golden import attn_module1_golden  # error: [cross-phase-golden-import]
import modules.attn_module12_golden as second  # error: [cross-phase-golden-import]
from modules import attn_module123_golden  # error: [cross-phase-golden-import]

LAST = "attn_module1234_golden"


def _phase_suffix(up_to_module):
    return "".join(str(i) for i in range(1, up_to_module + 1))


def _load_truth_golden(op_dir, op_name, suffix):
    return importlib.import_module(f"{op_name}_module{suffix}_golden")


def named(op_name, op_dir, suffix, up_to_module, total_modules):
    importlib.import_module("attn_module12_golden")  # error: [cross-phase-golden-import]
    importlib.import_module(LAST)  # error: [cross-phase-golden-import]
    importlib.import_module("attn_module" + "12" + "_golden")  # error: [cross-phase-golden-import]
    importlib.import_module(f"{op_name}_module12_golden")  # error: [cross-phase-golden-import]
    importlib.import_module("modules.%s_module%d_golden" % (op_name, 12))  # error: [cross-phase-golden-import]
    __import__("attn_module12_golden")  # error: [cross-phase-golden-import]
    exec("from attn_module12_golden import attn_module12_golden")  # error: [cross-phase-golden-import]
    exec(f"import {op_name}_module12_golden as g")  # error: [cross-phase-golden-import]
    path = os.path.join(op_dir, "modules", "attn_module12_golden.py")
    importlib.util.spec_from_file_location("golden", path)  # error: [cross-phase-golden-import]
    importlib.util.spec_from_file_location("golden", Path(op_dir) / "modules" / f"{op_name}_module1_golden.py")  # error: [cross-phase-golden-import]
    runpy.run_path(f"{op_dir}/modules/{op_name}_module1_golden.py")  # error: [cross-phase-golden-import]


def computed(op_name, op_dir, suffix, up_to_module, total_modules):
    importlib.import_module(f"{op_name}_module{suffix[:-1]}_golden")  # error: [cross-phase-golden-import]
    importlib.import_module(f"{op_name}_module{_phase_suffix(up_to_module - 1)}_golden")  # error: [cross-phase-golden-import]
    _load_truth_golden(op_dir, op_name, _phase_suffix(up_to_module + 1))  # error: [cross-phase-golden-import]
    _load_truth_golden(op_dir, op_name, _phase_suffix(total_modules))  # error: [cross-phase-golden-import]
    for k in range(1, total_modules + 1):
        importlib.import_module(f"{op_name}_module{_phase_suffix(k)}_golden")  # error: [cross-phase-golden-import]
    for k in range(up_to_module, total_modules):
        later = _phase_suffix(k)
        _load_truth_golden(op_dir, op_name, later)  # error: [cross-phase-golden-import]
    _load_truth_golden(op_dir, op_name, suffix)
    return importlib.import_module(f"{op_name}_module{_phase_suffix(up_to_module)}_golden")

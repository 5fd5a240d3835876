"""Executes a program once per rank on a process group that communicates nothing, and logs what each rank would issue.

::

    python dry.py --world 4 --log DIR -- prog.py arguments...
    python dry.py --world 4 --log DIR -- -m package.module arguments...

torch is imported once; each rank is a fork of this process, one after the other, with RANK and WORLD_SIZE set. Joining
the job, whatever the backend, means joining torch's fake group: collectives leave their outputs as they are, or fill
them with this rank's own inputs. A branch on communicated data therefore goes the way that its own data says.
The exit status is that of the first rank that does not end with 0.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
from typing import Any

FAILED = 1
USAGE = 2


def main(arguments: list[str] | None = None) -> int:
    """Runs all ranks; the exit status."""
    parser = argparse.ArgumentParser(prog="dry.py", description="What each rank of a program would issue.")
    parser.add_argument("--world", type=int, required=True, metavar="N", help="number of ranks")
    parser.add_argument("--log", required=True, metavar="DIR", help="folder for the logs; made where it is missing")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="-- prog.py arguments, or -- -m module arguments")
    options = parser.parse_args(arguments)
    program = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not program or options.world < 1 or not hasattr(os, "fork"):
        parser.print_usage(sys.stderr)
        return USAGE
    os.makedirs(options.log, exist_ok=True)  # noqa: PTH103
    os.environ["RANKLINT_PROBE_LOG"] = options.log
    probe = load_probe()
    probe.start(ranks_are_forks=True)

    status = 0
    for rank in range(options.world):
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            probe.log.LOG.folder = os.path.abspath(options.log)  # noqa: PTH100
            run(probe, rank, options.world, program)
        _, ended = os.waitpid(child, 0)
        code = os.WEXITSTATUS(ended) if os.WIFEXITED(ended) else 128 + os.WTERMSIG(ended)
        status = status or code
    return status


def load_probe() -> Any:
    """The probe under its private name, from the folder next to this file; the one that is there already otherwise."""
    name = "_ranklint_probe"
    if name in sys.modules:
        return sys.modules[name]
    from importlib import util

    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe")  # noqa: PTH100, PTH118, PTH120
    path = os.path.join(folder, "__init__.py")  # noqa: PTH118
    spec = util.spec_from_file_location(name, path, submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def run(probe: Any, rank: int, world: int, program: list[str]) -> None:
    """Runs the program as one rank, and ends the process."""
    job = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": world, "LOCAL_WORLD_SIZE": world}
    os.environ.update({key: str(value) for key, value in job.items()})
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29500")
    status = 0
    try:
        pretend(probe, rank, world)
        execute(probe, program)
    except SystemExit as exit:
        if isinstance(exit.code, str):
            print(exit.code, file=sys.stderr)
        status = exit.code if isinstance(exit.code, int) else FAILED if exit.code else 0
    except BaseException as error:
        probe.raised.uncaught(error)
        traceback.print_exception(type(error), error, _of_the_program(error.__traceback__))
        status = FAILED
    finally:
        probe.process.end()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status & 0xFF)


def execute(probe: Any, program: list[str]) -> None:
    """Runs ``prog.py arguments`` or ``-m module arguments`` as ``__main__``."""
    # How the interpreter was started is no longer what runs.
    sys.orig_argv = [sys.executable, *program]  # type: ignore[attr-defined]
    probe.log.LOG.open()
    if program[0] == "-m":
        sys.argv = program[1:]
        sys.path[0] = os.getcwd()  # noqa: PTH109
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = program
        sys.path[0] = os.path.dirname(os.path.abspath(program[0]))  # noqa: PTH100, PTH120
        runpy.run_path(program[0], run_name="__main__")


def pretend(probe: Any, rank: int, world: int) -> None:
    """Has every group of this process be a fake one, of whatever backend, and object collectives return their own."""
    from torch.distributed import distributed_c10d as c10d
    from torch.testing._internal.distributed.fake_pg import FakeStore

    swap = probe.patch.swap

    def instead(name: str, make: Any) -> None:
        place = swap.find(swap.originals.get((c10d.__name__, name), getattr(c10d, name, None)))
        if place is not None:
            swap.put(place, make(place))

    def joining(place: Any) -> Any:
        def init_process_group(*args: Any, **keywords: Any) -> Any:
            given = {**dict(zip(place.names, args)), **keywords}
            kept = {name: given[name] for name in ("timeout", "group_name") if given.get(name)}
            return place.original(backend="fake", store=FakeStore(), rank=rank, world_size=world, **kept)

        return init_process_group

    def helping(place: Any) -> Any:
        def helper(*args: Any, **keywords: Any) -> Any:
            given = {**dict(zip(place.names, args)), **keywords}
            given["backend"] = c10d.Backend("fake")
            for name in ("backend_options", "pg_options"):
                if name in given:
                    given[name] = None
            return place.original(**given)

        return helper

    def filling(fill: Any) -> Any:
        def make(place: Any) -> Any:
            def stand_in(*args: Any, **keywords: Any) -> Any:
                return fill({**dict(zip(place.names, args)), **keywords})

            return stand_in

        return make

    instead("init_process_group", joining)
    instead("_new_process_group_helper", helping)
    for name, fill in _OBJECTS.items():
        instead(name, filling(fill))
    _data_parallel(probe)
    instead("monitored_barrier", filling(lambda given: None))
    instead("recv", filling(_source))


def _data_parallel(probe: Any) -> None:
    """Has the reducer of DistributedDataParallel log its reductions; on fake handles it would fail an assertion."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    calls, groups, sites = probe.patch.calls, probe.patch.groups, probe.sites
    make = DistributedDataParallel.__init__
    register = DistributedDataParallel.register_comm_hook

    def reduce(group: Any, bucket: Any) -> Any:
        signature = calls.intern(
            "all_reduce",
            "collective",
            sites.here(0),
            group=groups.number(group),
            reduce="SUM",
            tensors=calls.described([bucket.buffer()]),
            implicit="DistributedDataParallel",
        )
        calls.issue(signature, lambda: None)
        done: Any = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done

    reduce.__annotations__ = {}  # torch refuses a hook whose annotations are not its own classes

    def __init__(self: Any, *args: Any, **keywords: Any) -> None:
        make(self, *args, **keywords)
        register(self, self.process_group, reduce)

    DistributedDataParallel.__init__ = __init__  # type: ignore[method-assign]
    DistributedDataParallel.register_comm_hook = lambda self, state, hook: None  # type: ignore[method-assign]


def _all_gather_object(given: dict[str, Any]) -> None:
    given["object_list"][:] = [given["obj"]] * len(given["object_list"])


def _gather_object(given: dict[str, Any]) -> None:
    if given["object_gather_list"]:
        given["object_gather_list"][:] = [given["obj"]] * len(given["object_gather_list"])


def _scatter_object_list(given: dict[str, Any]) -> None:
    objects = given["scatter_object_input_list"]
    if objects and given["scatter_object_output_list"]:
        given["scatter_object_output_list"][0] = objects[0]


def _nothing(given: dict[str, Any]) -> None:
    return None


def _source(given: dict[str, Any]) -> int:
    source = given.get("src")
    return 0 if source is None else int(source)


_OBJECTS = {
    "all_gather_object": _all_gather_object,
    "gather_object": _gather_object,
    "scatter_object_list": _scatter_object_list,
    "broadcast_object_list": _nothing,
    "send_object_list": _nothing,
    "recv_object_list": _source,
}


def _of_the_program(trace: Any) -> Any:
    """The traceback from the program's first frame on."""
    here = {os.path.abspath(__file__), os.path.abspath(runpy.__file__)}  # noqa: PTH100
    while trace is not None and (
        trace.tb_frame.f_code.co_filename in here or trace.tb_frame.f_code.co_filename.startswith("<frozen")
    ):
        trace = trace.tb_next
    return trace


if __name__ == "__main__":
    sys.exit(main())

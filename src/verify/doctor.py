"""What `ranklint verify doctor` asks the interpreter that would run the ranks.

Prints one line: `ranklint:` and a JSON object.

`ABOUT` is put in front of this text: a JSON object with the key `cache`, the folder that ranklint unpacks into.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path


def about_torch() -> dict:
    """Version, backends and devices; a text under `error` where torch is there and cannot be imported."""
    try:
        import torch
    except ModuleNotFoundError as error:
        return {"missing": error.name == "torch", "error": str(error)}
    except Exception as error:
        return {"missing": False, "error": f"{type(error).__name__}: {error}"}
    found = {"version": torch.__version__, "file": torch.__file__, "backends": [], "devices": []}
    try:
        import torch.distributed as dist

        if dist.is_available():
            for name in ("gloo", "nccl", "mpi", "ucc", "xccl"):
                if getattr(dist, f"is_{name}_available", lambda: False)():
                    found["backends"].append(name)
            found["gloo"] = try_gloo(dist) if "gloo" in found["backends"] else "not in this build of torch"
        if torch.cuda.is_available():
            found["devices"] = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
    return found


def try_gloo(dist) -> str:
    """Makes a group of one rank, which needs a network interface; empty when that went well."""
    try:
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        dist.destroy_process_group()
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def about_loopback() -> str:
    """Talks to itself over 127.0.0.1; empty when that went well."""
    try:
        server = socket.create_server(("127.0.0.1", 0))
        with server, socket.create_connection(server.getsockname(), timeout=3):
            return ""
    except OSError as error:
        return str(error)


def about_host() -> str:
    """Gloo listens where the name of the machine points to; empty when it points to this machine."""
    name = socket.gethostname()
    try:
        address = socket.gethostbyname(name)
        with socket.socket() as probe:
            probe.bind((address, 0))
    except OSError as error:
        return f"{name}: {error}"
    return ""


def about_limits() -> dict:
    """Soft limits; absent where there is none, or where the system has no such thing."""
    found = {}
    try:
        import resource
    except ImportError:
        return found
    for key, name in (("files", "RLIMIT_NOFILE"), ("processes", "RLIMIT_NPROC")):
        limit = getattr(resource, name, None)
        if limit is not None:
            soft = resource.getrlimit(limit)[0]
            if soft != resource.RLIM_INFINITY:
                found[key] = soft
    return found


def about_shared_memory() -> int | None:
    """Size of /dev/shm in bytes."""
    try:
        found = os.statvfs("/dev/shm")
    except (AttributeError, OSError):
        return None
    return found.f_blocks * found.f_frsize


def about_memory() -> int | None:
    """Memory that could be used now, in bytes."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return None


def started(pid: int) -> int | None:
    """When a process was started, in ticks since the machine was; absent where there is none."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def supervisor_of(environment: bytes) -> int | None:
    """Number of the ranklint that has started a process with this environment; absent where none has."""
    variables = dict(entry.partition(b"=")[::2] for entry in environment.split(b"\0"))
    run = variables.get(b"RANKLINT_RUN")
    if run is None:
        return None
    number = variables.get(b"RANKLINT_SUPERVISOR", run.partition(b"-")[0])
    return int(number) if number.isdigit() else 0


def is_alive(supervisor: int, pid: int) -> bool:
    """Whether the ranklint is still there; another process that has got its number since is younger than `pid`."""
    since, own = started(supervisor), started(pid)
    return since is not None and own is not None and since <= own


def about_leftovers() -> list:
    """Processes of runs whose ranklint is gone."""
    found = []
    try:
        pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    except OSError:
        return found
    for pid in sorted(pids):
        try:
            supervisor = supervisor_of(Path(f"/proc/{pid}/environ").read_bytes())
            if supervisor is None or pid == os.getpid() or is_alive(supervisor, pid):
                continue
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
            command = line.replace(b"\0", b" ").decode("utf-8", "replace").strip()
        except OSError:
            continue
        found.append({"pid": pid, "command": command[:120]})
    return found


def about_cache(folder: str) -> str:
    """Whether the folder, or the first one above it that is there, can be written; empty when it can."""
    if not folder:
        return "neither XDG_CACHE_HOME nor HOME is set"
    there = Path(folder)
    while not there.exists() and there.parent != there:
        there = there.parent
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return ""
    return f"{there} cannot be written"


def main() -> None:
    about = json.loads(ABOUT)  # noqa: F821
    affinity = getattr(os, "sched_getaffinity", None)
    answer = {
        "executable": sys.executable,
        "version": list(sys.version_info[:3]),
        "torch": about_torch(),
        "loopback": about_loopback(),
        "host": about_host(),
        "limits": about_limits(),
        "shared_memory": about_shared_memory(),
        "memory": about_memory(),
        "cores": len(affinity(0)) if affinity else os.cpu_count() or 1,
        "leftovers": about_leftovers(),
        "cache": about_cache(about["cache"]),
    }
    print("\nranklint:" + json.dumps(answer), flush=True)


main()

"""Start-up, in the one order all ranks share, and the choice of roles (supplement section 5, "Start-up order")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta

import torch
import torch.distributed as dist

from .calls import Geometry
from .compiled import check_compile_health, explain_block, make_compiled_block, resolve_compile
from .engine import Engine
from .errors import ContractError, EnvelopeError, PeerError
from .framing import VERSION
from .journal import Journal
from .link import BroadcastWire, Link, PairWire
from .mesh import Mesh
from .metrics import Overlap, measure_overlap
from .model import Generator, resolve_attention
from .parity import check_parity
from .planner import Planner
from .requests import Request
from .roles import Leader, drive_tp, follow, send_call, warm_up
from .settings import MESH_KEYS, Settings, place, snapshot
from .stage0 import Stage0
from .topology import build_topology
from .watchdog import Watchdog


class ReferenceRuntime:
    """One process of a run. `start`, then `run`; an error of `refusals` from either is a deliberate end.

    Rank 0 drives and consumes the requests; all other ranks serve until they are told to leave.
    """

    capabilities = frozenset(
        {
            "tp",
            "pp0",
            "pp1",
            "parity",
            "preflight",
            "vote",
            "manifest",
            "digest",
            "fingerprint",
            "watchdog",
            "backends",
            "compile",
            "overlap",
        }
    )
    refusals = (ContractError,)

    def __init__(self, label: str = "") -> None:
        self.rank, local_rank = place()
        self.journal = Journal(self.rank, label)
        self._local_rank = local_rank
        self._stage0: Stage0 | None = None

    def start(self) -> None:
        """Joins, compares, builds groups, loads, warms up.

        Raises `ParityError` and others of `ContractError` on all ranks.
        """
        values = snapshot()
        self.device = self._choose_device(values["SCOPE_DIST_BACKEND"])
        dist.init_process_group(
            values["SCOPE_DIST_BACKEND"], timeout=timedelta(seconds=float(values["SCOPE_DIST_TIMEOUT_S"]))
        )
        digest = check_parity("all ranks", world_values(values), dist.group.WORLD, self.device)
        self.settings = settings = Settings.parse(values)
        self.journal("parity", scope="all", digest=digest[:12])
        self.topology = topology = build_topology(settings, self.rank, self.journal)
        self.geometry = Geometry()
        self.planner = Planner(settings, self.geometry)
        self.journal.role = "stage0" if not topology.in_mesh else "leader" if topology.mesh_rank == 0 else "worker"
        failure: ContractError | None = None
        try:
            if topology.in_mesh:
                self._start_mesh(values)
            self._make_links()
            if topology.in_mesh:
                self._warm_up()
        except EnvelopeError:
            raise  # seen by this rank alone, which leaves at once; the closed connection tells the others
        except ContractError as error:
            failure = error  # seen by the whole mesh alike; a rank outside must hear of it too
        self._agree_ready(failure)
        if settings.hooks.wrong_group == "1" and topology.in_mesh:
            self.generator.reduce_group = topology.world_pg
        self.journal("ready")

    def run(self, requests: Iterable[Request]) -> list[int]:
        """Serves until the end; rank 0 returns the chunks it emitted. Raises what ended the run early."""
        emitted: list[int] = []
        if self.topology.mode == "tp" and self.rank == 0:
            emitted = drive_tp(self._mesh_link, self.engine, self.planner, requests, self.settings, self.journal)
        elif not self.topology.in_mesh:
            self._stage0 = Stage0(self._pair, self.planner, self.geometry, self.settings, self.journal)
            emitted = self._stage0.run(requests)
        elif self.topology.mode != "tp" and self.topology.mesh_rank == 0:
            self._leader.serve()
        else:
            follow(self._mesh_link, self.engine, self._dialect, self.settings)
        self.journal("left", emitted=emitted)
        dist.destroy_process_group()
        return emitted

    def measured(self) -> Overlap:
        """What rank 0 of PP measured; its `check` is the gate."""
        return measure_overlap(self._stage0.stamps, self.geometry.frames)

    def _agree_ready(self, failure: ContractError | None) -> None:
        """The end of start-up, for all ranks: either everybody is ready, or everybody leaves."""
        ready = torch.tensor([int(failure is None)], dtype=torch.int64, device=self.device)
        dist.all_reduce(ready, op=dist.ReduceOp.MIN, group=self.topology.world_pg)
        if failure is not None:
            raise failure
        if int(ready.item()) == 0:
            raise PeerError("another rank did not get ready")

    def _choose_device(self, backend: str) -> torch.device:
        if backend != "nccl":
            return torch.device("cpu")
        torch.cuda.set_device(self._local_rank)
        return torch.device("cuda", self._local_rank)

    def _start_mesh(self, values: Mapping[str, str]) -> None:
        """Compares what only the mesh must agree on, then loads the shard and takes its baseline."""
        settings, topology = self.settings, self.topology
        attention = resolve_attention(settings.kv_bias_backend, settings.hooks, self.rank)
        effective = mesh_values(values, attention, resolve_compile(settings))
        check_parity("mesh", effective, topology.mesh_pg, self.device)
        self.journal("parity", scope="mesh", attention=attention)
        self.mesh = Mesh(topology)
        self.generator = Generator(self.geometry, self.mesh, attention, self.device)
        self.health: dict[str, object] | None = None
        if resolve_compile(settings) != "off":
            block = make_compiled_block(self.generator, self.mesh, settings.hooks)
            self.health = explain_block(block, self.generator)
            self.generator.block = torch.compile(block, backend=settings.compile_backend, dynamic=False)
        self._dialect = "tp" if topology.mode == "tp" else "pp"
        self.engine = Engine(settings, self.generator, self.mesh, self._dialect, self.rank, self.journal)

    def _make_links(self) -> None:
        topology, settings = self.topology, self.settings
        worker = Watchdog("message", settings.worker_watchdog_s, self.journal)
        if topology.in_mesh:
            wire = BroadcastWire(topology.mesh_pg, topology.leader)
            self._mesh_link = Link(wire, self.device, self.journal, worker)
        if topology.mode == "tp":
            return
        if not topology.in_mesh:
            results = Watchdog("result", settings.result_watchdog_s, self.journal)
            self._pair = Link(PairWire(topology.pp_pg, topology.leader), self.device, self.journal, results)
        elif topology.mesh_rank == 0:
            self._pair = Link(PairWire(topology.pp_pg, 0), self.device, self.journal, worker)
            relay = self._mesh_link if topology.mode == "pp1" else None
            self._leader = Leader(self._pair, relay, self.engine, settings, self.journal)

    def _warm_up(self) -> None:
        """A fixed number of planned calls, on the path of real ones; then all ranks compare how they compiled."""
        settings, topology = self.settings, self.topology
        if topology.mesh_rank > 0:
            follow(self._mesh_link, self.engine, self._dialect, settings, only=settings.warmup_runs)
        elif topology.mode == "tp":
            for call in warm_up(self.planner, settings.warmup_runs):
                send_call(self._mesh_link, call, self.engine, "tp", settings.tp_plan)
                self.engine.run(call)
        else:
            self._leader.warm_up(self.planner)
        self.generator.reset()
        self.generator.start_frame = 0
        if self.health is not None:
            check_compile_health(self.health, settings, self.mesh, self.device)
            self.journal("compile_health", **self.health)


def world_values(values: Mapping[str, str]) -> dict[str, str]:
    """What all ranks compare: every key that is not the mesh's own business, test keys included."""
    return {**{key: value for key, value in values.items() if key not in MESH_KEYS}, "protocol version": str(VERSION)}


def mesh_values(values: Mapping[str, str], attention: str, compiled: str) -> dict[str, str]:
    """What the mesh compares: its keys, and what `auto` and the compile switch came to."""
    resolved = {"SCOPE_KV_BIAS_BACKEND (resolved)": attention, "compile (resolved)": compiled}
    return {**{key: values[key] for key in MESH_KEYS}, **resolved}

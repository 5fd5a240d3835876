"""A TP runtime whose control messages travel through the rendezvous store; only tensors use collectives.

One file, one class; it shows what `ranklint.matrix.protocol` asks for, and nothing more.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta

import torch
import torch.distributed as dist

KEYS = ("WORLD_SIZE", "SCOPE_TP_PLAN", "SCOPE_PP_ENABLED", "SCOPE_DIST_BACKEND", "SCOPE_TP_DEBUG_GATHER")
DEFAULTS = {"SCOPE_TP_PLAN": "v1_generator_only", "SCOPE_PP_ENABLED": "0", "SCOPE_TP_DEBUG_GATHER": "0"}
CARRIED = {torch.bfloat16: "bf16", torch.float32: "f32", torch.int64: "i64"}
DTYPES = {name: dtype for dtype, name in CARRIED.items()}
LEAVE = "leave"


class Refused(Exception):
    """Anything this runtime will not do."""


class StoreRuntime:
    """See `ranklint.matrix.protocol.Runtime`."""

    capabilities = frozenset({"tp", "parity", "preflight"})
    refusals = (Refused,)

    def __init__(self, label: str = "") -> None:
        self.label = label
        self.rank = int(os.environ["RANK"])
        self.turn = 0

    def start(self) -> None:
        """Compares the settings by way of the store: no collective, and no group but the default one."""
        backend = os.environ.get("SCOPE_DIST_BACKEND", "gloo")
        dist.init_process_group(backend, timeout=timedelta(seconds=float(os.environ.get("SCOPE_DIST_TIMEOUT_S", "60"))))
        self.store = dist.PrefixStore("control", dist.distributed_c10d._get_default_store())
        mine = {key: os.environ.get(key, DEFAULTS.get(key, "")) for key in KEYS}
        mine.update({key: value for key, value in os.environ.items() if key.startswith("SCOPE_TEST_")})
        self.flags = mine
        self.store.set(f"flags/{self.rank}", json.dumps(mine, sort_keys=True))
        everyone = [json.loads(self.store.get(f"flags/{rank}")) for rank in range(dist.get_world_size())]
        for key in sorted(set().union(*everyone)):
            values = [one.get(key, "unset") for one in everyone]
            if len(set(values)) > 1:
                dist.barrier()  # everybody has read; rank 0 may take the store away
                raise Refused(f"the ranks disagree on {key}: {' / '.join(values)}")
        self.say("groups", mode="tp")
        self.weight = torch.full((4,), float(self.rank + 1))

    def run(self, requests: Iterable) -> list[int]:
        """Rank 0 posts messages, the others read them in turn; tensors follow by broadcast."""
        emitted = self.drive(requests) if self.rank == 0 else self.obey()
        dist.destroy_process_group()
        return emitted

    def drive(self, requests: Iterable) -> list[int]:
        """Rank 0. A refused request ends the run; the others are told before the refusal goes on."""
        emitted = []
        for chunk, request in enumerate(requests):
            try:
                message, tensors = self.prepare(chunk, request)
            except Refused:
                self.dismiss()
                raise
            self.post(message, "INFER", chunk)
            self.compute(tensors)
            emitted.append(chunk)
            self.say("emit", chunk_index=chunk, cache_epoch=0)
            time.sleep(request.idle_s)
        self.dismiss()
        return emitted

    def dismiss(self) -> None:
        """Tells the others to leave, and waits until they have read it: the store ends with this process."""
        self.post(json.dumps({"action": LEAVE}), "SHUTDOWN", -1)
        self.store.wait([f"left/{rank}" for rank in range(1, dist.get_world_size())])

    def obey(self) -> list[int]:
        """All other ranks."""
        while True:
            self.turn += 1
            message = json.loads(self.store.get(f"message/{self.turn}"))
            if message["action"] == LEAVE:
                self.say("receive", action="SHUTDOWN", call_id=self.turn)
                self.store.set(f"left/{self.rank}", "1")
                return []
            self.say("receive", action="INFER", call_id=self.turn, chunk_index=message["chunk"], cache_epoch=0)
            tensors = {name: torch.zeros(shape, dtype=DTYPES[kind]) for name, shape, kind in message["tensors"]}
            self.compute(tensors)

    def prepare(self, chunk: int, request: object) -> tuple[str, dict[str, torch.Tensor]]:
        """The message's text and its tensors; raises before anything is posted."""
        tensors = {"latents": torch.full((1, 4), float(chunk)), "conditioning": torch.ones(1, 4), **request.tensors}
        if request.recompute:
            tensors["context"] = torch.zeros(1, 4)
        for name in request.omit:
            tensors.pop(name)
        if request.recompute and "context" not in tensors:
            raise Refused("a recompute was planned without its context: override required")
        manifest = []
        for name, tensor in sorted(tensors.items()):
            if tensor.dtype not in CARRIED:
                raise Refused(f"{name} is of {str(tensor.dtype).split('.')[1]}, which no message carries")
            manifest.append([name, list(tensor.shape), CARRIED[tensor.dtype]])
        notes = plain(request.notes, "notes")
        return json.dumps({"action": "infer", "chunk": chunk, "tensors": manifest, "notes": notes}, sort_keys=True), tensors

    def post(self, message: str, action: str, chunk: int) -> None:
        """Makes the message visible to everybody."""
        self.turn += 1
        self.say("send", action=action, call_id=self.turn, chunk_index=chunk, cache_epoch=0)
        self.store.set(f"message/{self.turn}", message)

    def compute(self, tensors: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """A row of a matrix product, sharded over the ranks."""
        for name in sorted(tensors):
            dist.broadcast(tensors[name], src=0)
        part = tensors["latents"].float().sum() * self.weight
        dist.all_reduce(part)
        if self.flags["SCOPE_TP_DEBUG_GATHER"] == "1":
            means = [torch.zeros(1) for _ in range(dist.get_world_size())]
            dist.all_gather(means, part.mean().reshape(1))
            self.say("debug_gather", means=[one.item() for one in means])
        return part

    def say(self, event: str, **fields: object) -> None:
        """The journal that rows read."""
        line = {"t": time.monotonic(), "row": self.label, "rank": self.rank, "event": event, **fields}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def plain(value: object, path: str) -> object:
    """Plain data, unchanged. Raises `Refused` with the path of anything else."""
    if isinstance(value, Mapping):
        return {key: plain(inner, f"{path}.{key}") for key, inner in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise Refused(f"{path} cannot be written down: {type(value).__name__}")

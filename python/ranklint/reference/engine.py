"""Phase B on one rank of the mesh: vote, tripwires, generator, and the count of what was done.

Everything that can be refused is refused before the first collective of the generator, by all ranks of the mesh
together.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import torch
import torch.distributed as dist

from .calls import Call, Geometry, validate_call
from .errors import ContractError, EnvelopeError, PlanError, VoteError
from .journal import Journal
from .mesh import Mesh
from .model import Generator
from .settings import Settings
from .tripwires import Fingerprint, check_input_digest


@dataclass(frozen=True)
class Outcome:
    """What Phase B made: latents bfloat16, calls counted, milliseconds, and how long this rank stood idle before."""

    latents: torch.Tensor
    observed_generator_calls: int
    busy_ms: float
    idle_ms: float


class Engine:
    """Runs calls in lockstep with the other ranks of the mesh."""

    def __init__(
        self,
        settings: Settings,
        generator: Generator,
        mesh: Mesh,
        dialect: str,
        rank: int,
        journal: Journal,
    ) -> None:
        self._settings = settings
        self._hooks = settings.hooks
        self._mesh = mesh
        self._dialect = dialect
        self._rank = rank
        self._journal = journal
        self._fingerprint = Fingerprint(generator.weights)
        self._last: tuple[int, int] | None = None
        self._ended: float | None = None
        self.generator = generator
        self.geometry: Geometry = generator.geometry

    def run(self, call: Call) -> Outcome:
        """One call.

        Raises `VoteError`, `DriftError`, `PlanError` and the guards of `Mesh`, on all ranks of the mesh alike.
        """
        call = self._alter_input(call)
        self._vote(call, self._refusal(call))
        if not call.warm_up:
            self._check_tripwires(call)
            self._last = (call.cache_epoch, call.chunk_index)
        begun = time.monotonic()
        idle_ms = 0.0 if self._ended is None else (begun - self._ended) * 1000
        self._mesh.announce(key for key, tensor in call.tensors.items() if tensor is not None)
        before = self.generator.calls
        latents = self._generate(call)
        observed = self.generator.calls - before
        time.sleep(self._hooks.stage_seconds()[1])
        self._ended = time.monotonic()
        if observed != call.plan.expected_generator_calls:
            raise PlanError(f"observed_generator_calls={observed}, expected {call.plan.expected_generator_calls}")
        if self._settings.debug_gather:
            self._gather_statistics(latents)
        self._journal(
            "phase_b", chunk_index=call.chunk_index, cache_epoch=call.cache_epoch, observed_generator_calls=observed
        )
        return Outcome(latents, observed, (self._ended - begun) * 1000, max(0.0, idle_ms))

    def _refusal(self, call: Call) -> ContractError | None:
        """Why this rank does not accept the call, if so. A subset of the sender's own checks."""
        try:
            validate_call(call, self.geometry)
            self._check_order(call)
        except ContractError as error:
            return error
        return None

    def _check_order(self, call: Call) -> None:
        """The epoch grows by one exactly when the cache is reset, chunks only grow, and the start frame is ours."""
        if call.warm_up:
            return
        if self._last is None:
            if not call.plan.init_cache:
                raise EnvelopeError("the first call does not carry init_cache")
        elif call.plan.reset_kv_cache != (call.cache_epoch == self._last[0] + 1) or call.cache_epoch < self._last[0]:
            raise EnvelopeError(
                f"epoch {call.cache_epoch} after {self._last[0]}, reset_kv_cache={call.plan.reset_kv_cache}"
            )
        elif (call.cache_epoch, call.chunk_index) <= self._last:
            raise EnvelopeError(f"chunk {call.chunk_index} of epoch {call.cache_epoch} after {self._last}")
        begins_at = 0 if call.plan.reset_kv_cache else self.generator.start_frame
        if call.current_start_frame != begins_at:
            raise EnvelopeError(f"current_start_frame={call.current_start_frame}, this rank stands at {begins_at}")

    def _vote(self, call: Call, refusal: ContractError | None) -> None:
        """Everybody tells whether it accepts, and how many generator calls it plans; one difference and all leave
        together.
        """
        planned = call.plan.planned_call_count() + self._replans(call)
        ballot = torch.tensor([int(refusal is None), planned], dtype=torch.int64, device=self.generator.device)
        ballots = [torch.zeros_like(ballot) for _ in range(self._mesh.size)]
        dist.all_gather(ballots, ballot, group=self._mesh.group)
        votes = [tuple(one.tolist()) for one in ballots]
        if all(vote == (1, votes[0][1]) for vote in votes):
            return
        ranks = dist.get_process_group_ranks(self._mesh.group)
        told = ", ".join(
            f"rank {rank} {'accepts' if accepted else 'refuses'}, planned_call_count={count}"
            for rank, (accepted, count) in zip(ranks, votes)
        )
        raise VoteError(f"no Phase B for chunk {call.chunk_index}: {told}; here: {refusal or 'accepted'}")

    def _check_tripwires(self, call: Call) -> None:
        every = self._settings.digest_every
        if every > 0 and call.chunk_index % every == 0:
            check_input_digest(call, self._dialect, self._settings.tp_plan, self._mesh, self.generator.device)
        if self._hooks.hits("mutate_shard", self._rank, call.chunk_index):
            self._journal("fault", hook="mutate_shard")
            self.generator.weights["out"][0, 0] += 1.0
        every = self._settings.fingerprint_every
        if every > 0 and call.chunk_index % every == 0:
            self._fingerprint.check(self._mesh, self.generator.device)

    def _generate(self, call: Call) -> torch.Tensor:
        if self._hooks.adhoc_broadcast == "1" and not call.warm_up:
            self._journal("fault", hook="adhoc_broadcast")
            inferred = torch.zeros(call.tensors["latents"].shape[1], device=self.generator.device)
            self._mesh.broadcast("inferred_mask", inferred, group=self._mesh.group)
        latents = self.generator.generate(call)
        for _ in range(self._replans(call)):
            self.generator.forward(latents.float(), call.kv_cache_attention_bias)
        return latents

    def _gather_statistics(self, latents: torch.Tensor) -> None:
        """Mean of the output by rank, for debugging.

        A collective behind a key, which is why the key is in the parity set.
        """
        mean = latents.float().mean().reshape(1)
        means = [torch.zeros_like(mean) for _ in range(self._mesh.size)]
        dist.all_gather(means, mean, group=self._mesh.group)
        self._journal("debug_gather", means=[round(one.item(), 6) for one in means])

    def _alter_input(self, call: Call) -> Call:
        """Hook of row OM-11: one received tensor, on one rank, after the transfer and before the digest."""
        if not self._hooks.hits("mutate_input", self._rank, call.chunk_index):
            return call
        key = self._hooks.part("mutate_input", 2)
        self._journal("fault", hook="mutate_input", key=key)
        return replace(call, tensors={**call.tensors, key: call.tensors[key] + 1})

    def _replans(self, call: Call) -> int:
        """Hook of row OM-03: one generator call more, on one rank. The vote refuses it before it could be made."""
        return int(self._hooks.hits("replan", self._rank, call.chunk_index))

"""Phase A on rank 0: the one place that decides what a call will do. Everybody else obeys the plan."""

from __future__ import annotations

import torch

from .calls import WARM_UP, Call, Geometry
from .errors import PreflightError
from .framing import Field
from .model import encode_context
from .plan import PhasePlan
from .requests import Request
from .settings import Settings


class Planner:
    """Counts chunks, epochs and frames, keeps the decoded anchor, and builds calls."""

    def __init__(self, settings: Settings, geometry: Geometry) -> None:
        self._settings = settings
        self._geometry = geometry
        self._chunk = 0
        self._start_frame = 0
        self._fresh = True
        self._anchor: torch.Tensor | None = None
        self._anchor_chunk: int | None = None
        self.epoch = 0

    def cut(self) -> None:
        """A hard cut: a new cache world. What was decoded before is no context any more."""
        self.epoch += 1
        self._fresh = True
        self._start_frame = 0
        self._anchor = None

    def keep_decoded(self, chunk_index: int, frames: torch.Tensor) -> None:
        """The decoded frames of a chunk, [1, F, C, 2h, 2w]: the anchor of the next recompute."""
        self._anchor = encode_context(frames, self._geometry.cache_frames)
        self._anchor_chunk = chunk_index

    def wants_recompute(self, request: Request) -> bool:
        """Whether the next call recomputes the cache; never on the first chunk of an epoch, which has nothing to
        recompute.
        """
        return not self._fresh and (request.recompute or self._chunk % self._settings.recompute_every == 0)

    def build(self, request: Request) -> Call:
        """The next call; `sent` makes it so. Raises `PreflightError` when the anchor is not the chunk before."""
        recompute = self.wants_recompute(request)
        tensors = self._draw(request.steps)
        tensors["context"] = self._context(tensors) if recompute else None
        tensors.update(request.tensors)
        for name in request.omit:
            tensors[name] = None
        expected = int(recompute) + request.steps
        plan = PhasePlan(
            init_cache=self._fresh,
            reset_kv_cache=self._fresh,
            reset_crossattn_cache=self._fresh,
            do_kv_recompute=recompute,
            num_denoise_steps=request.steps,
            expected_generator_calls=expected if request.expected_calls is None else request.expected_calls,
        )
        return self._call(self._chunk, plan, self._start_frame, tensors, request)

    def sent(self) -> None:
        """The call that was built last has been committed."""
        self._chunk += 1
        self._fresh = False
        self._start_frame += self._geometry.frames

    def warm_up(self, recompute: bool) -> Call:
        """A call of production shape that no order, digest or epoch applies to."""
        tensors = self._draw(2)
        shape = self._geometry.shapes(2)["context"]
        tensors["context"] = torch.zeros(shape, dtype=torch.bfloat16) if recompute else None
        plan = PhasePlan(False, False, False, recompute, 2, int(recompute) + 2)
        return self._call(WARM_UP, plan, 0, tensors, Request())

    def _context(self, tensors: dict[str, Field]) -> torch.Tensor:
        """Context for a recompute: the decoded chunk before this one, and nothing else."""
        if self._settings.hooks.synthetic_context == "1":
            self._anchor, self._anchor_chunk = (
                tensors["latents"][:, -1:].repeat(1, self._geometry.cache_frames, 1, 1, 1),
                None,
            )
        if self._anchor is None or self._anchor_chunk != self._chunk - 1:
            raise PreflightError(f"context of chunk {self._chunk} does not come from decoding chunk {self._chunk - 1}")
        return self._anchor

    def _draw(self, steps: int) -> dict[str, Field]:
        """Latents and conditioning from the seed of the chunk; randomness travels as data."""
        source = torch.Generator().manual_seed(1000 + self._chunk)
        shapes = self._geometry.shapes(steps)
        return {
            "latents": torch.randn(shapes["latents"], generator=source).to(torch.bfloat16),
            "conditioning": torch.randn(shapes["conditioning"], generator=source).to(torch.bfloat16),
            "step_list": torch.tensor([1000 - 250 * i for i in range(steps)], dtype=torch.int64),
        }

    def _call(self, chunk: int, plan: PhasePlan, start: int, tensors: dict[str, Field], request: Request) -> Call:
        return Call(
            chunk_index=chunk,
            cache_epoch=self.epoch,
            plan=plan,
            height=self._geometry.height,
            width=self._geometry.width,
            current_start_frame=start,
            conditioning_embeds_updated=plan.init_cache,
            kv_cache_attention_bias=0.3,
            base_seed=1000,
            tensors=tensors,
            notes=dict(request.notes),
        )

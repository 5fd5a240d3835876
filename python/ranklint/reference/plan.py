"""The phase plan: what one call will do in Phase B, decided on rank 0 and obeyed everywhere (supplement section 1, row
OM-03).
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import PlanError


@dataclass(frozen=True)
class PhasePlan:
    """Resets, optional recompute, then denoising: `expected_generator_calls = (1 if recompute) + steps`."""

    init_cache: bool
    reset_kv_cache: bool
    reset_crossattn_cache: bool
    do_kv_recompute: bool
    num_denoise_steps: int
    expected_generator_calls: int

    def planned_call_count(self) -> int:
        """Generator calls that this plan makes."""
        return int(self.do_kv_recompute) + self.num_denoise_steps

    def validate(self, steps_in_list: int) -> None:
        """Raises `PlanError` with both values when a formula does not hold."""
        if self.num_denoise_steps != steps_in_list:
            raise PlanError(f"num_denoise_steps={self.num_denoise_steps}, but the step list has {steps_in_list}")
        if self.expected_generator_calls != self.planned_call_count():
            planned = self.planned_call_count()
            raise PlanError(f"expected_generator_calls={self.expected_generator_calls}, but the plan makes {planned}")
        if self.init_cache and not (self.reset_kv_cache and self.reset_crossattn_cache):
            raise PlanError("init_cache=True without both resets")

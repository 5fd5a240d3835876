"""What a caller may ask of the runtime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    """One chunk to generate, or a pause.

    The first group of fields is what a server sets. The second group exists so that a caller can ask for something
    that must be refused; the runtime passes it on unchecked, and the preflight is what refuses it.
    """

    steps: int = 2
    recompute: bool = False
    hard_cut: bool = False
    await_sent: bool = False
    idle_s: float = 0.0

    notes: Mapping[str, object] = field(default_factory=dict)
    tensors: Mapping[str, object] = field(default_factory=dict)
    expected_calls: int | None = None
    omit: tuple[str, ...] = ()

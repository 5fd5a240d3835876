"""Imported by a parent that forks ranks: what the compiler imports and sets up on its first use, done once for all."""

from __future__ import annotations

from .zygote import warm_compiler

warm_compiler()

"""The run-time half of ranklint: what runs inside the ranks."""

from __future__ import annotations

"""Parts of the reference runtime that need no second rank. Runs under pytest and under unittest."""

from __future__ import annotations

import math
import unittest

import torch
from ranklint.reference.calls import Geometry, from_wire, to_wire, validate_call
from ranklint.reference.errors import EnvelopeError, OverlapError, ParityError, PlanError, PreflightError
from ranklint.reference.framing import Action, Header, encode, pack, unpack_meta
from ranklint.reference.hooks import Hooks
from ranklint.reference.metrics import Stamps, measure_overlap
from ranklint.reference.parity import describe
from ranklint.reference.planner import Planner
from ranklint.reference.requests import Request
from ranklint.reference.settings import MESH_KEYS, WORLD_KEYS, Settings

CPU = torch.device("cpu")


def planner(**hooks: str) -> Planner:
    values = {**WORLD_KEYS, **MESH_KEYS, **{f"SCOPE_TEST_{key.upper()}": value for key, value in hooks.items()}}
    return Planner(Settings.parse(values), Geometry())


class Meta(unittest.TestCase):
    def test_order_of_insertion_does_not_show(self) -> None:
        self.assertEqual(encode({"b": 1, "a": [True, None, "é"]}), encode({"a": [True, None, "é"], "b": 1}))

    def test_what_meta_cannot_hold_is_named_by_its_path(self) -> None:
        for value, path in [
            ({"a": {"b": print}}, r"meta\.a\.b"),
            ({"a": [0, {1, 2}]}, r"meta\.a\[1\]"),
            ({"a": math.nan}, r"meta\.a"),
            ({1: 2}, "key 1"),
            ({"t": torch.zeros(1)}, r"meta\.t is a Tensor"),
        ]:
            with self.assertRaisesRegex(PreflightError, path):
                encode(value)


class Messages(unittest.TestCase):
    def test_manifest_is_sorted_and_counted(self) -> None:
        fields = {"z": torch.zeros(2, dtype=torch.uint8), "a": [torch.zeros(1), torch.ones(3)], "none": None}
        packed = pack(Action.INFER, (5, 0, 0), {"x": 1}, fields, CPU)
        self.assertEqual([(spec.key, spec.index) for spec in packed.specs], [("a", 0), ("a", 1), ("z", 0)])
        self.assertEqual(packed.header.payload_bytes, 4 + 12 + 2)
        meta, absent, specs = unpack_meta(packed.header, packed.meta)
        self.assertEqual((meta, absent, specs), ({"x": 1}, ["none"], packed.specs))

    def test_dtypes_outside_the_map_are_refused(self) -> None:
        for dtype in (torch.bool, torch.float64, torch.complex64):
            with self.assertRaisesRegex(PreflightError, "mask"):
                pack(Action.INFER, (1, 0, 0), {}, {"mask": torch.zeros(2, dtype=dtype)}, CPU)

    def test_version_and_action_come_first(self) -> None:
        good = Header(1, Action.NOOP, 1, -1, -1)
        self.assertEqual(Header.from_tensor(good.to_tensor(CPU)), good)
        for bad in (Header(2, Action.NOOP, 1, -1, -1), Header(1, 9, 1, -1, -1)):
            with self.assertRaises(EnvelopeError):
                Header.from_tensor(bad.to_tensor(CPU))


class Calls(unittest.TestCase):
    def test_round_trip_in_both_dialects(self) -> None:
        call = planner().build(Request())
        for dialect in ("tp", "pp"):
            meta, tensors = to_wire(call, dialect, "plan")
            again = from_wire((call.chunk_index, call.cache_epoch), meta, tensors, dialect, "plan")
            self.assertEqual(again.plan, call.plan)
            self.assertEqual(set(again.tensors), set(call.tensors))
            with self.assertRaisesRegex(EnvelopeError, "tp_plan"):
                from_wire((0, 0), meta, tensors, dialect, "another")
            with self.assertRaisesRegex(EnvelopeError, "surplus"):
                from_wire((0, 0), {**meta, "surplus": 1}, tensors, dialect, "plan")

    def test_plans_must_add_up(self) -> None:
        with self.assertRaises(PlanError):
            validate_call(planner().build(Request(expected_calls=5)), Geometry())

    def test_recompute_needs_the_chunk_before(self) -> None:
        subject = planner()
        subject.build(Request())
        subject.sent()
        with self.assertRaisesRegex(PreflightError, "decoding chunk 0"):
            subject.build(Request(recompute=True))
        subject.keep_decoded(0, torch.zeros(1, 2, 16, 8, 8))
        validate_call(subject.build(Request(recompute=True)), Geometry())
        with self.assertRaisesRegex(PreflightError, "override required"):
            validate_call(subject.build(Request(recompute=True, omit=("context",))), Geometry())

    def test_a_cut_opens_the_next_epoch(self) -> None:
        subject = planner()
        subject.sent()
        subject.cut()
        call = subject.build(Request(recompute=True))
        self.assertEqual((call.cache_epoch, call.plan.init_cache, call.plan.do_kv_recompute), (1, True, False))
        self.assertEqual(call.current_start_frame, 0)


class Parity(unittest.TestCase):
    def test_keys_ranks_and_values_are_named(self) -> None:
        told = describe([1, 2], [{"A": "1", "B": "x"}, {"A": "1"}])
        self.assertEqual(told, "B differs: rank 1 'x', rank 2 unset")

    def test_unknown_hooks_are_refused(self) -> None:
        with self.assertRaisesRegex(ParityError, "SCOPE_TEST_MISPELT"):
            Hooks.parse({"SCOPE_TEST_MISPELT": "1"})


def simulate(build: float, mesh: float, decode: float, period: float) -> list[Stamps]:
    """Twenty-four chunks of a steady pipeline; milliseconds."""
    stamps = []
    for chunk in range(24):
        emitted = (chunk * period) / 1000
        one = Stamps(chunk, t_a1=build / 1000, t_c0=emitted - decode / 1000, t_emit=emitted, tB_ms=mesh)
        stamps.append(one)
    return stamps


class Overlap(unittest.TestCase):
    def test_the_known_figures(self) -> None:
        for period, score in [(95, 0.0), (55, 0.889), (50, 1.0)]:
            measured = measure_overlap(simulate(5, 50, 40, period), frames_per_chunk=2)
            self.assertAlmostEqual(measured.score, score, places=2)
            self.assertAlmostEqual(measured.period_ms, period, places=3)

    def test_the_gate(self) -> None:
        measure_overlap(simulate(5, 50, 40, 50), 2).check(2, 2)
        with self.assertRaisesRegex(OverlapError, "0.00 < 0.30"):
            measure_overlap(simulate(5, 50, 40, 95), 2).check(2, 2)
        with self.assertRaisesRegex(OverlapError, "stamping fault"):
            measure_overlap(simulate(5, 50, 40, 20), 2).check(2, 2)


if __name__ == "__main__":
    unittest.main()

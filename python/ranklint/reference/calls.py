"""The envelope and the result, and the names their fields have on the wire (supplement sections 4.2 to 4.4).

One `Call` for TP and PP; the one table of names is here, so that it cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch

from .errors import EnvelopeError, PreflightError
from .plan import PhasePlan

WARM_UP = -1  # chunk index of a warm-up call; exempt from order and digest

PLAN_FIELDS = {
    "init_cache": bool,
    "reset_kv_cache": bool,
    "reset_crossattn_cache": bool,
    "do_kv_recompute": bool,
    "num_denoise_steps": int,
    "expected_generator_calls": int,
}
CALL_FIELDS = {
    "height": int,
    "width": int,
    "current_start_frame": int,
    "conditioning_embeds_updated": bool,
    "kv_cache_attention_bias": float,
    "base_seed": int,
    "notes": dict,
}
TENSOR_FIELDS = ("latents", "conditioning", "step_list", "context")
OPTIONAL_TENSORS = ("context",)

# Logical name to the name in a dialect, where they differ.
DIALECTS: Mapping[str, Mapping[str, str]] = {
    "tp": {
        "reset_kv_cache": "tp_reset_kv_cache",
        "reset_crossattn_cache": "tp_reset_crossattn_cache",
        "do_kv_recompute": "tp_do_kv_recompute",
        "num_denoise_steps": "tp_num_denoise_steps",
        "expected_generator_calls": "tp_expected_generator_calls",
        "conditioning": "conditioning_embeds",
        "step_list": "denoising_step_list",
        "context": "context_frames_override",
    },
    "pp": {
        "latents": "latents_in",
        "conditioning": "conditioning_embeds",
        "step_list": "current_denoising_step_list",
        "context": "context_frames",
    },
}
# Fields that hold one value for the life of the job; the plan is filled in from the compared settings.
CONSTANTS: Mapping[str, Mapping[str, object]] = {
    "tp": {"tp_envelope_version": 1, "manage_cache": True},
    "pp": {"pp_envelope_version": 1, "pp_disable_vace": True},
}
RESULT_FIELDS = {
    "pp_result_version": int,
    "observed_generator_calls": int,
    "mesh_current_start_frame": int,
    "tB_ms": float,
    "t_mesh_idle_ms": float,
    "ok": bool,
    "error_message": str,
}


@dataclass(frozen=True)
class Geometry:
    """Sizes every tensor of a call agrees with: pixels, frames, and the width of the conditioning."""

    height: int = 32
    width: int = 32
    frames: int = 2
    channels: int = 16
    cache_frames: int = 3
    conditioning_tokens: int = 4

    def shapes(self, steps: int) -> dict[str, tuple[int, ...]]:
        """Shape of each tensor field; latents are (batch, frames, channels, height/8, width/8)."""
        tall, wide = self.height // 8, self.width // 8
        return {
            "latents": (1, self.frames, self.channels, tall, wide),
            "conditioning": (1, self.conditioning_tokens, self.channels),
            "step_list": (steps,),
            "context": (1, self.cache_frames, self.channels, tall, wide),
        }


@dataclass(frozen=True)
class Call:
    """One `INFER`.

    Tensors: latents, conditioning and context bfloat16, step_list int64; context present iff recompute.
    """

    chunk_index: int
    cache_epoch: int
    plan: PhasePlan
    height: int
    width: int
    current_start_frame: int
    conditioning_embeds_updated: bool
    kv_cache_attention_bias: float
    base_seed: int
    tensors: Mapping[str, torch.Tensor | None]
    notes: Mapping[str, object] = field(default_factory=dict)

    @property
    def warm_up(self) -> bool:
        """Whether this call only warms up."""
        return self.chunk_index == WARM_UP


def validate_call(call: Call, geometry: Geometry) -> None:
    """The checks shared by sender and receivers (supplement section 4.4). Raises `PreflightError` or `PlanError`."""
    unknown = sorted(set(call.tensors) - set(TENSOR_FIELDS))
    if unknown:
        raise PreflightError(f"tensor fields {', '.join(unknown)} are in no envelope of version 1")
    for name in TENSOR_FIELDS:
        if name not in call.tensors or (call.tensors[name] is None and name not in OPTIONAL_TENSORS):
            raise PreflightError(f"tensor {name} is missing")
    if call.plan.do_kv_recompute and call.tensors["context"] is None:
        raise PreflightError("recompute is planned: context tensor missing, override required, there is no fallback")
    if call.tensors["context"] is not None and not call.plan.do_kv_recompute:
        raise PreflightError("a context tensor without a planned recompute")
    steps = call.tensors["step_list"]
    call.plan.validate(len(steps))
    for name, shape in geometry.shapes(len(steps)).items():
        tensor = call.tensors[name]
        if tensor is not None and tuple(tensor.shape) != shape:
            raise PreflightError(f"{name} has shape {tuple(tensor.shape)}, {shape} is agreed")
    if (call.height, call.width) != (geometry.height, geometry.width):
        raise PreflightError(f"{call.height}x{call.width} pixels, {geometry.height}x{geometry.width} are agreed")


def to_wire(call: Call, dialect: str, tp_plan: str) -> tuple[dict[str, object], dict[str, torch.Tensor | None]]:
    """Meta and tensors under their wire names; every field present, absent tensors as explicit None."""
    names = DIALECTS[dialect]
    meta: dict[str, object] = {"tp_plan": tp_plan, **CONSTANTS[dialect]}
    for name in PLAN_FIELDS:
        meta[names.get(name, name)] = getattr(call.plan, name)
    for name in CALL_FIELDS:
        meta[name] = getattr(call, name)
    return meta, {names.get(name, name): tensor for name, tensor in call.tensors.items()}


def from_wire(
    ids: tuple[int, int],
    meta: Mapping[str, object],
    tensors: Mapping[str, torch.Tensor | None],
    dialect: str,
    tp_plan: str,
) -> Call:
    """The call again; `ids` = chunk, epoch.

    Raises `EnvelopeError` on a missing, unknown or mistyped field, version or plan.
    """
    names = DIALECTS[dialect]
    for name, agreed in {"tp_plan": tp_plan, **CONSTANTS[dialect]}.items():
        if meta.get(name) != agreed:
            raise EnvelopeError(f"{name}={meta.get(name)!r} in the envelope, {agreed!r} is agreed")
    plan = {name: take(meta, names.get(name, name), kind) for name, kind in PLAN_FIELDS.items()}
    rest = {name: take(meta, name, kind) for name, kind in CALL_FIELDS.items()}
    known = {"tp_plan", *CONSTANTS[dialect], *(names.get(name, name) for name in (*PLAN_FIELDS, *CALL_FIELDS))}
    surplus = sorted(set(meta) - known)
    if surplus:
        raise EnvelopeError(f"unknown fields {', '.join(surplus)}")
    logical = {names.get(name, name): name for name in TENSOR_FIELDS}
    fields = {logical.get(name, name): tensor for name, tensor in tensors.items()}
    return Call(chunk_index=ids[0], cache_epoch=ids[1], plan=PhasePlan(**plan), tensors=fields, **rest)


def take(meta: Mapping[str, object], name: str, kind: type) -> object:
    """One field of exactly that type. Raises `EnvelopeError`."""
    if name not in meta:
        raise EnvelopeError(f"field {name} is missing")
    if type(meta[name]) is not kind:
        raise EnvelopeError(f"field {name} is a {type(meta[name]).__name__}, {kind.__name__} is agreed")
    return meta[name]


@dataclass(frozen=True)
class Result:
    """What the mesh owes for each `INFER`, failed ones included.

    `latents` bfloat16, None iff not ok. Times in milliseconds.
    """

    call_id: int
    chunk_index: int
    cache_epoch: int
    observed_generator_calls: int
    mesh_current_start_frame: int
    tB_ms: float
    t_mesh_idle_ms: float
    ok: bool
    error_message: str
    latents: torch.Tensor | None

    def to_wire(self) -> tuple[dict[str, object], dict[str, torch.Tensor | None]]:
        """Meta and tensors."""
        meta = {name: getattr(self, name) for name in RESULT_FIELDS if name != "pp_result_version"}
        return {"pp_result_version": 1, **meta}, {"latents_out": self.latents}

    @staticmethod
    def from_wire(
        ids: tuple[int, int, int], meta: Mapping[str, object], tensors: Mapping[str, torch.Tensor | None]
    ) -> Result:
        """Raises `EnvelopeError` as `from_wire` does for calls."""
        fields = {name: take(meta, name, kind) for name, kind in RESULT_FIELDS.items()}
        if fields.pop("pp_result_version") != 1 or set(meta) != set(RESULT_FIELDS):
            raise EnvelopeError("a result of another version")
        if fields["ok"] and tensors.get("latents_out") is None:
            raise EnvelopeError("a good result without latents_out")
        return Result(*ids, **fields, latents=tensors.get("latents_out"))

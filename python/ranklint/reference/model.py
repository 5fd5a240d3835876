"""A tiny generator that really computes: one attention block with a KV cache, heads sharded over the mesh.

Sizes: `C` channels, `N` tokens a frame times frames. Weights follow from a seed and are cut by mesh rank, so shards
differ between ranks and every rank can be checked against itself (row OM-12).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

from .calls import Call, Geometry
from .hooks import Hooks
from .mesh import Mesh

HEADS = 4
# (tokens [N, C], cached keys and values [H, M, d], bias of cached keys) to tokens [N, C]
Block = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def attend_math(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Attention, written out: q [H, N, d], k and v [H, M, d], bias [M]."""
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + bias
    return scores.softmax(-1) @ v


def attend_sdpa(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """The same through torch's fused operator; equal up to rounding, which is why ranks must not mix."""
    mask = bias.expand(q.shape[-2], k.shape[-2])
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


ATTENTION = {"math": attend_math, "sdpa": attend_sdpa}


def resolve_attention(requested: str, hooks: Hooks, rank: int) -> str:
    """The backend that `auto` means here; compared across the mesh before anything uses it (row C-04)."""
    if requested != "auto":
        return requested
    if hooks.hits("resolve_backend", rank):
        return hooks.part("resolve_backend", 1)
    return "sdpa" if hasattr(F, "scaled_dot_product_attention") else "math"


class Generator:
    """One mesh rank's shard. `weights` are the named shards; the cache holds keys and values of the last frames."""

    def __init__(self, geometry: Geometry, mesh: Mesh, attention: str, device: torch.device, seed: int = 7) -> None:
        channels = geometry.channels
        source = torch.Generator().manual_seed(seed)
        full = {
            name: torch.randn(channels, channels, generator=source) / channels**0.5 for name in ("q", "k", "v", "out")
        }
        width = channels // mesh.size
        mine = slice(mesh.rank * width, (mesh.rank + 1) * width)
        self.weights = {name: full[name][:, mine].clone().to(device) for name in ("q", "k", "v")}
        self.weights["out"] = full["out"][mine].clone().to(device)
        self.attend = ATTENTION[attention]
        self.geometry = geometry
        self.mesh = mesh
        self.reduce_group = mesh.group
        self.heads = HEADS // mesh.size
        self.device = device
        self.calls = 0
        self.start_frame = 0
        self.block: Block = self.eager_block
        self.reset()

    def reset(self) -> None:
        """Empties the KV cache."""
        self.keys = torch.zeros(self.heads, 0, self.geometry.channels // HEADS, device=self.device)
        self.values = torch.zeros_like(self.keys)

    def project(self, tokens: torch.Tensor, name: str) -> torch.Tensor:
        """[N, C] to [H, N, d]."""
        return (tokens @ self.weights[name]).unflatten(-1, (self.heads, -1)).transpose(0, 1)

    def partial(
        self, tokens: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        """This shard's part of the block's output, [N, C], before the sum over the mesh."""
        k = torch.cat([keys, self.project(tokens, "k")], dim=1)
        v = torch.cat([values, self.project(tokens, "v")], dim=1)
        cached = torch.ones(keys.shape[1], device=tokens.device) * bias
        own = torch.zeros(tokens.shape[0], device=tokens.device)
        mixed = self.attend(self.project(tokens, "q"), k, v, torch.cat([cached, own]))
        return mixed.transpose(0, 1).flatten(1) @ self.weights["out"]

    def eager_block(
        self, tokens: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        """The block with an in-place sum, for eager runs."""
        return self.mesh.all_reduce(self.partial(tokens, keys, values, bias), group=self.reduce_group).tanh()

    def forward(self, frames: torch.Tensor, bias: float) -> torch.Tensor:
        """One generator call: frames [1, F, C, h, w] float32 to the same shape."""
        self.calls += 1
        tokens = frames[0].permute(0, 2, 3, 1).reshape(-1, self.geometry.channels)
        scale = torch.tensor(bias, device=self.device)
        mixed = self.block(tokens, self.keys, self.values, scale)
        tall, wide = frames.shape[-2:]
        return mixed.reshape(-1, tall, wide, self.geometry.channels).permute(0, 3, 1, 2).unsqueeze(0)

    def remember(self, frames: torch.Tensor) -> None:
        """Appends the keys and values of frames [1, F, C, h, w] and keeps those of the last `cache_frames`."""
        tokens = frames[0].permute(0, 2, 3, 1).reshape(-1, self.geometry.channels)
        keep = self.geometry.cache_frames * frames.shape[-2] * frames.shape[-1]
        self.keys = torch.cat([self.keys, self.project(tokens, "k")], dim=1)[:, -keep:]
        self.values = torch.cat([self.values, self.project(tokens, "v")], dim=1)[:, -keep:]

    def load(self, tensor: torch.Tensor) -> torch.Tensor:
        """An input on this rank's device, as float32; the driver's own inputs have not travelled."""
        return tensor.to(self.device, torch.float32)

    def generate(self, call: Call) -> torch.Tensor:
        """Resets, optional recompute, denoising, indices (supplement section 9).

        Returns latents [1, F, C, h, w] bfloat16.
        """
        bias = call.kv_cache_attention_bias
        if call.plan.reset_kv_cache:
            self.reset()
            self.start_frame = 0
        if call.plan.do_kv_recompute:
            context = self.load(call.tensors["context"])
            self.reset()
            self.remember(self.forward(context, bias))
        frames = self.load(call.tensors["latents"]) + self.load(call.tensors["conditioning"]).mean()
        for step in call.tensors["step_list"].tolist():
            frames = frames - self.forward(frames, bias) * (step / 1000)
        self.remember(frames)
        self.start_frame += frames.shape[1]
        return frames.to(torch.bfloat16)


def decode_frames(latents: torch.Tensor) -> torch.Tensor:
    """Latents [1, F, C, h, w] to frames [1, F, C, 2h, 2w]; rank 0's part, outside the mesh."""
    return F.interpolate(latents[0].float(), scale_factor=2.0, mode="nearest").tanh().unsqueeze(0)


def encode_context(frames: torch.Tensor, count: int) -> torch.Tensor:
    """The last `count` decoded frames as a context tensor [1, count, C, h, w] bfloat16; the first repeats if there are
    too few.
    """
    latents = F.avg_pool2d(frames[0], 2)[-count:]
    missing = count - latents.shape[0]
    return torch.cat([latents[:1].expand(missing, -1, -1, -1), latents]).unsqueeze(0).to(torch.bfloat16).contiguous()

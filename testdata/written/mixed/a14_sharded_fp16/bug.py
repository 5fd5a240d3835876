"""fp16 optimizer over flat gradient shards (ZeRO-1 layout)."""
import torch
import torch.distributed as dist


class ShardedFp16Optimizer:
    def __init__(self, inner, flat_params, dp_group, init_scale: float = 2.0**16, max_norm: float = 1.0):
        self.inner = inner
        self.flat_params = flat_params
        self.dp_group = dp_group
        self.dp_size = dist.get_world_size(dp_group)
        self.scale = init_scale
        self.max_norm = max_norm
        self.grad_shard = torch.zeros(
            flat_params.numel() // self.dp_size, dtype=torch.float32, device=flat_params.device
        )

    def reduce_gradients(self) -> None:
        out = torch.empty_like(self.grad_shard, dtype=self.flat_params.dtype)
        dist.reduce_scatter_tensor(out, self.flat_params.grad, group=self.dp_group)
        self.grad_shard.copy_(out).div_(self.dp_size * self.scale)

    def _shard_overflows(self) -> bool:
        return not torch.isfinite(self.grad_shard.sum()).item()

    def _global_norm(self) -> torch.Tensor:
        sq = self.grad_shard.pow(2).sum()
        dist.all_reduce(sq, group=self.dp_group)
        return sq.sqrt()

    def _apply(self, norm: torch.Tensor) -> None:
        self.grad_shard.mul_((self.max_norm / (norm + 1e-6)).clamp(max=1.0))
        updated = self.inner.step_shard(self.grad_shard)
        dist.all_gather_into_tensor(self.flat_params.data, updated.to(self.flat_params.dtype), group=self.dp_group)

    def step(self) -> bool:
        self.reduce_gradients()
        if self._shard_overflows():
            self.scale = max(self.scale / 2.0, 1.0)
            self.flat_params.grad = None
            return False  # BUG 1
        norm = self._global_norm()
        self._apply(norm)
        self.flat_params.grad = None
        return True

    def step_with_vote(self) -> bool:
        self.reduce_gradients()
        overflow = torch.tensor([float(self._shard_overflows())], device=self.grad_shard.device)
        dist.all_reduce(overflow, op=dist.ReduceOp.MAX, group=self.dp_group)
        self.flat_params.grad = None
        if overflow.item() > 0:
            self.scale = max(self.scale / 2.0, 1.0)
            return False
        self._apply(self._global_norm())
        return True

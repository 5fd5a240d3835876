"""ZeRO-1 style optimizer: each rank owns one slice of the flat fp32 master copy."""
import torch
import torch.distributed as dist


class LossScale:
    def __init__(self, init=2.0 ** 16, window=2000):
        self.value = init
        self.window = window
        self.good_steps = 0

    def update(self, overflow):
        if overflow:
            self.value = max(self.value / 2, 1.0)
            self.good_steps = 0
            return
        self.good_steps += 1
        if self.good_steps % self.window == 0:
            self.value *= 2


class FlatShardedAdam:
    def __init__(self, module, lr, betas=(0.9, 0.95), group=None):
        self.group = group
        self.world = dist.get_world_size(group)
        self.rank = dist.get_rank(group)
        self.params = [p for p in module.parameters() if p.requires_grad]
        numel = sum(p.numel() for p in self.params)
        self.padded = (numel + self.world - 1) // self.world * self.world
        self.part = self.padded // self.world
        self.flat = torch.zeros(self.padded, dtype=torch.half, device=self.params[0].device)
        self._point_params_at_flat()
        lo = self.rank * self.part
        self.master = self.flat[lo:lo + self.part].float().requires_grad_()
        self.inner = torch.optim.AdamW([self.master], lr=lr, betas=betas)
        self.scale = LossScale()

    def _point_params_at_flat(self):
        offset = 0
        for p in self.params:
            n = p.numel()
            self.flat[offset:offset + n].copy_(p.data.view(-1))
            p.data = self.flat[offset:offset + n].view_as(p)
            offset += n

    def backward(self, loss):
        (loss.float() * self.scale.value).backward()

    def _collect_grads(self):
        out = torch.zeros_like(self.flat)
        offset = 0
        for p in self.params:
            n = p.numel()
            if p.grad is not None:
                out[offset:offset + n].copy_(p.grad.view(-1))
                p.grad = None
            offset += n
        return out

    @staticmethod
    def _has_overflow(t):
        s = float(t.float().sum())
        return s in (float("inf"), -float("inf")) or s != s

    def step(self):
        full = self._collect_grads().div_(self.world)
        shard = torch.empty(self.part, dtype=full.dtype, device=full.device)
        dist.reduce_scatter_tensor(shard, full, group=self.group)

        overflow = self._has_overflow(shard)  # BUG
        current = self.scale.value
        self.scale.update(overflow)
        if overflow:  # BUG
            return False

        self.master.grad = shard.float().div_(current)
        self.inner.step()
        self.master.grad = None
        dist.all_gather_into_tensor(self.flat, self.master.detach().half(), group=self.group)
        return True


def train(module, batches, lr, log_every=50):
    opt = FlatShardedAdam(module, lr)
    skipped = 0
    for i, batch in enumerate(batches):
        loss = module(**batch)
        opt.backward(loss)
        if not opt.step():
            skipped += 1
        if opt.rank == 0 and i % log_every == 0:
            print(f"iter {i} loss {loss.item():.3f} scale {opt.scale.value:.0f} skipped {skipped}")

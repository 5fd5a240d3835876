"""Context-manager guard around the device-heavy part of a diffusion training step."""
import logging

import torch
import torch.distributed as dist

logger = logging.getLogger(__name__)


class OomGuard:
    """Absorbs out-of-memory errors and remembers that one happened."""

    def __init__(self, label: str):
        self.label = label
        self.tripped = False

    def __enter__(self):
        self.tripped = False
        return self

    def __exit__(self, exc_type, exc, tb):
        if exc_type is not None and issubclass(exc_type, torch.cuda.OutOfMemoryError):
            logger.warning("%s: %s", self.label, exc)
            torch.cuda.empty_cache()
            self.tripped = True
            return True
        return False


class DiffusionTrainer:
    def __init__(self, unet, scheduler, optimizer):
        self.unet = unet.cuda()
        self.scheduler = scheduler
        self.optimizer = optimizer
        self.guard = OomGuard("diffusion step")

    def _backward(self, latents: torch.Tensor, cond: torch.Tensor) -> None:
        noise = torch.randn_like(latents)
        t = torch.randint(0, self.scheduler.num_steps, (len(latents),), device=latents.device)
        pred = self.unet(self.scheduler.add_noise(latents, noise, t), t, cond)
        torch.nn.functional.mse_loss(pred, noise).backward()

    def _sync_gradients(self) -> None:
        for p in self.unet.parameters():
            dist.all_reduce(p.grad, op=dist.ReduceOp.AVG)

    def step(self, latents: torch.Tensor, cond: torch.Tensor) -> bool:
        self.optimizer.zero_grad(set_to_none=False)
        with self.guard:
            self._backward(latents.cuda(), cond.cuda())
            self._sync_gradients()  # BUG 1
            self.optimizer.step()
        return not self.guard.tripped

    def step_agreed(self, latents: torch.Tensor, cond: torch.Tensor) -> bool:
        self.optimizer.zero_grad(set_to_none=False)
        with self.guard:
            self._backward(latents.cuda(), cond.cuda())
        tripped = torch.tensor(float(self.guard.tripped), device="cuda")
        dist.all_reduce(tripped, op=dist.ReduceOp.MAX)
        if tripped.item():
            return False
        self._sync_gradients()
        self.optimizer.step()
        return True

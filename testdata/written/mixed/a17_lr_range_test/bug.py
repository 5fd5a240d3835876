"""Learning-rate range test on a DDP model before the real run."""
import copy
from typing import List, Tuple

import torch
import torch.distributed as dist


class LRRangeTest:
    def __init__(self, ddp_model, optimizer, lr_min: float, lr_max: float, num_iter: int, beta: float = 0.95):
        self.model = ddp_model
        self.optimizer = optimizer
        self.lr_min = lr_min
        self.gamma = (lr_max / lr_min) ** (1.0 / max(num_iter - 1, 1))
        self.num_iter = num_iter
        self.beta = beta
        self._model_state = copy.deepcopy(ddp_model.state_dict())
        self._optim_state = copy.deepcopy(optimizer.state_dict())

    def _set_lr(self, step: int) -> float:
        lr = self.lr_min * self.gamma**step
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        return lr

    def _step(self, batch) -> torch.Tensor:
        loss = self.model(*[t.cuda(non_blocking=True) for t in batch])
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def run(self, batches) -> List[Tuple[float, float]]:
        curve, smooth, best = [], 0.0, float("inf")
        for step, batch in zip(range(self.num_iter), batches):
            lr = self._set_lr(step)
            loss = self._step(batch).item()
            smooth = self.beta * smooth + (1 - self.beta) * loss
            debiased = smooth / (1 - self.beta ** (step + 1))
            curve.append((lr, debiased))
            if step > 10 and debiased > 4 * best:
                break  # BUG 1
            best = min(best, debiased)
        self.restore()
        return curve

    def run_averaged(self, batches) -> List[Tuple[float, float]]:
        curve, best = [], float("inf")
        for step, batch in zip(range(self.num_iter), batches):
            lr = self._set_lr(step)
            loss = self._step(batch)
            dist.all_reduce(loss, op=dist.ReduceOp.AVG)
            curve.append((lr, loss.item()))
            if step > 10 and curve[-1][1] > 4 * best:
                break
            best = min(best, curve[-1][1])
        self.restore()
        return curve

    def restore(self) -> None:
        self.model.load_state_dict(self._model_state)
        self.optimizer.load_state_dict(self._optim_state)
        dist.barrier()

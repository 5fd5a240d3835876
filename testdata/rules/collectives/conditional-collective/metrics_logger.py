"""A logger that only rank 0 calls, whose averages are all-reduced (P01, P10)."""
import torch
import torch.distributed as dist


class MetricLogger:
    def __init__(self, window=20):
        self.window = window
        self.total = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    def synchronise(self):
        packed = torch.tensor([self.total, self.count], dtype=torch.float64, device="cuda")
        dist.all_reduce(packed)
        self.total, self.count = packed.tolist()

    def log(self, step):
        self.synchronise()
        print(f"step {step}: loss {self.total / max(self.count, 1):.4f}")


def train(model, loader, optimizer):
    logger = MetricLogger()
    rank = dist.get_rank()
    for step in range(1000):
        loss = model(step)
        loss.backward()
        optimizer.step()
        logger.update(loss.detach())
        if step % 50 == 0 and rank == 0:
            logger.log(step)  # error: [conditional-collective]


def train_in_step(model, loader, optimizer):
    logger = MetricLogger()
    rank = dist.get_rank()
    for step in range(1000):
        loss = model(step)
        loss.backward()
        optimizer.step()
        logger.update(loss.detach())
        if step % 50 == 0:
            logger.synchronise()
            if rank == 0:
                print(f"step {step}: {logger.total}")

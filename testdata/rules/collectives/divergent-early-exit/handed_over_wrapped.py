"""Nobody wraps a model here: that it is wrapped is said by the name under which it is handed over."""
import torch.distributed as dist


class RangeTest:
    def __init__(self, ddp_model, optimizer):
        self.model = ddp_model
        self.optimizer = optimizer

    def step(self, batch):
        loss = self.model(batch)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def run(self, batches, steps):
        best = float("inf")
        for number, batch in zip(range(steps), batches):
            loss = self.step(batch).item()
            if number > 10 and loss > 4 * best:
                break
            best = min(best, loss)
        dist.barrier()  # error: [divergent-early-exit]

    def run_averaged(self, batches, steps):
        best = float("inf")
        for number, batch in zip(range(steps), batches):
            loss = self.step(batch)
            dist.all_reduce(loss, op=dist.ReduceOp.AVG)
            if number > 10 and loss.item() > 4 * best:
                break
            best = min(best, loss.item())
        dist.barrier()

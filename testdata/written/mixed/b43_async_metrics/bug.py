"""Asynchronous reduction of metrics and gradients."""
import torch
import torch.distributed as dist


class AsyncReducer:
    def __init__(self, params):
        self.params = [p for p in params if p.requires_grad]
        self.world = dist.get_world_size()
        self.works = []

    def launch_grads(self):
        for p in self.params:
            self.works.append(dist.all_reduce(p.grad, async_op=True))

    def finish_grads(self):
        for work in self.works:
            work.wait()
        self.works.clear()
        for p in self.params:
            p.grad.div_(self.world)

    def mean_loss(self, loss):
        value = loss.detach().clone()
        work = dist.all_reduce(value, async_op=True)
        mean = value / self.world  # BUG 1
        work.wait()
        return mean.item()

    def mean_accuracy(self, acc):
        value = acc.detach().clone()
        work = dist.all_reduce(value, async_op=True)
        work.wait()
        return (value / self.world).item()

    def any_overflow(self):
        flag = torch.zeros(1, device="cuda")
        for p in self.params:
            flag += (~torch.isfinite(p.grad)).any().float()
        dist.all_reduce(flag, op=dist.ReduceOp.MAX, async_op=True)  # BUG 2
        return flag.item() > 0


def step(model, batch, reducer, optimizer):
    loss = model(batch).mean()
    loss.backward()
    reducer.launch_grads()
    mean = reducer.mean_loss(loss)
    reducer.finish_grads()
    if not reducer.any_overflow():
        optimizer.step()
    optimizer.zero_grad()
    return mean

"""Trainer with separate communicators for gradients and metrics."""
import torch
import torch.distributed as dist


class OverlapTrainer:
    def __init__(self, model, optimizer, cfg):
        self.model = model
        self.optimizer = optimizer
        self.cfg = cfg
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.grad_group = dist.new_group(list(range(self.world)))
        self.metric_group = dist.new_group(list(range(self.world)))

    def _reduce_grads(self):
        for p in self.model.parameters():
            if p.requires_grad:
                dist.all_reduce(p.grad, group=self.grad_group)
                p.grad.div_(self.world)

    def _reduce_metrics(self, values):
        dist.all_reduce(values, group=self.metric_group)
        return values / self.world

    def step(self, batch):
        loss = self.model(batch.cuda()).mean()
        loss.backward()
        metrics = torch.stack([loss.detach().float()])
        if self.rank == 0:
            metrics = self._reduce_metrics(metrics)  # BUG 1
            print(f"loss {metrics[0].item():.4f}")
            self._reduce_grads()
        else:
            self._reduce_grads()
            self._reduce_metrics(metrics)
        self.optimizer.step()
        self.optimizer.zero_grad()

    def load_initial(self, path):
        flat = torch.nn.utils.parameters_to_vector(self.model.parameters()).detach()
        if self.rank == 0:
            flat.copy_(torch.load(path, map_location="cuda"))
            dist.barrier()
            dist.broadcast(flat, src=0)
        else:
            dist.barrier()
            dist.broadcast(flat, src=0)
        torch.nn.utils.vector_to_parameters(flat, self.model.parameters())

    def load_ema(self, path, ema):
        if self.rank == 0:
            ema.copy_(torch.load(path, map_location="cuda"))
            dist.barrier()  # BUG 2
            dist.broadcast(ema, src=0)
        else:
            dist.broadcast(ema, src=0)
            dist.barrier()
        return ema

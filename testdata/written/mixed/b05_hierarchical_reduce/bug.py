"""Two-level gradient and statistics reduction (node, then cluster)."""
import torch
import torch.distributed as dist


class HierarchicalReducer:
    def __init__(self, local_world):
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.local_rank = self.rank % local_world
        self.leader = self.rank - self.local_rank
        self.node_group = None
        for start in range(0, self.world, local_world):
            handle = dist.new_group(list(range(start, start + local_world)))
            if start == self.leader:
                self.node_group = handle
        self.leader_group = dist.new_group(list(range(0, self.world, local_world)))

    def reduce_grad(self, grad):
        dist.reduce(grad, dst=self.leader, group=self.node_group)
        if self.local_rank == 0:
            dist.all_reduce(grad, group=self.leader_group)
        dist.broadcast(grad, src=self.leader, group=self.node_group)
        return grad.div_(self.world)

    def reduce_stats(self, step_stats, host_stats):
        if self.local_rank == 0:
            dist.all_reduce(step_stats)  # BUG 1
            dist.all_reduce(host_stats, group=self.node_group)
        else:
            dist.all_reduce(host_stats, group=self.node_group)
            dist.all_reduce(step_stats)
        return step_stats / self.world, host_stats


class Trainer:
    def __init__(self, model, optimizer, local_world):
        self.model = model
        self.optimizer = optimizer
        self.reducer = HierarchicalReducer(local_world)

    def step(self, batch):
        loss = self.model(batch).mean()
        loss.backward()
        for p in self.model.parameters():
            if p.requires_grad:
                self.reducer.reduce_grad(p.grad)
        self.optimizer.step()
        self.optimizer.zero_grad()
        mem = torch.tensor([torch.cuda.memory_allocated()], device="cuda", dtype=torch.float32)
        return self.reducer.reduce_stats(loss.detach().float().reshape(1), mem)

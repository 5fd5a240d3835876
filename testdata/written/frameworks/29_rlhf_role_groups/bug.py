"""Actor/critic placement for PPO on disjoint ranks of one job."""
import enum
import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from ppo_parts import Actor, Critic, PromptStream, actor_loss, critic_loss, generate


class Role(enum.Enum):
    ACTOR = "actor"
    CRITIC = "critic"


@dataclass
class Placement:
    world_size: int
    actor_fraction: float = 0.75
    actors: list = field(init=False)
    critics: list = field(init=False)

    def __post_init__(self):
        cut = max(1, int(self.world_size * self.actor_fraction))
        self.actors = list(range(cut))
        self.critics = list(range(cut, self.world_size))

    def role_of(self, rank):
        return Role.ACTOR if rank in self.actors else Role.CRITIC


class WorkerContext:
    def __init__(self, placement):
        self.placement = placement
        self.rank = dist.get_rank()
        self.role = placement.role_of(self.rank)
        self.role_group = None
        self.bridge = None

    def setup_groups(self):
        if self.role is Role.ACTOR:  # BUG
            self.role_group = dist.new_group(self.placement.actors)  # BUG
        else:
            self.role_group = dist.new_group(self.placement.critics)
        leaders = [self.placement.actors[0], self.placement.critics[0]]
        self.bridge = dist.new_group(leaders)

    @property
    def is_leader(self):
        return self.rank in (self.placement.actors[0], self.placement.critics[0])


class Worker:
    def __init__(self, ctx, net, lr):
        self.ctx = ctx
        self.net = DDP(net.cuda(), process_group=ctx.role_group)
        self.opt = torch.optim.AdamW(net.parameters(), lr=lr)

    def apply(self, loss):
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.opt.step()
        self.opt.zero_grad()

    def share_stats(self, value):
        stats = torch.tensor([value], device="cuda")
        dist.all_reduce(stats, op=dist.ReduceOp.AVG, group=self.ctx.role_group)
        if self.ctx.is_leader:
            both = [torch.empty_like(stats) for _ in range(2)]
            dist.all_gather(both, stats, group=self.ctx.bridge)
            if self.ctx.role is Role.ACTOR:
                print(f"actor {both[0].item():.4f} critic {both[1].item():.4f}")


class ActorWorker(Worker):
    def step(self, prompts):
        rollout = generate(self.net.module, prompts)
        loss = actor_loss(self.net, rollout)
        self.apply(loss)
        return loss.item()


class CriticWorker(Worker):
    def step(self, prompts):
        loss = critic_loss(self.net, prompts)
        self.apply(loss)
        return loss.item()


def main(iterations=1000):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    ctx = WorkerContext(Placement(dist.get_world_size()))
    ctx.setup_groups()
    if ctx.role is Role.ACTOR:
        worker = ActorWorker(ctx, Actor(), lr=1e-6)
    else:
        worker = CriticWorker(ctx, Critic(), lr=5e-6)
    prompts = PromptStream(seed=ctx.rank)
    for _ in range(iterations):
        worker.share_stats(worker.step(prompts.next_batch()))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

import argparse
import os
from dataclasses import dataclass, field
from typing import List

import gymnasium as gym
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributions import Categorical
from torch.nn.parallel import DistributedDataParallel as DDP


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh())
        self.pi = nn.Linear(256, n_actions)
        self.v = nn.Linear(256, 1)

    def forward(self, obs):
        h = self.body(obs)
        return self.pi(h), self.v(h).squeeze(-1)


@dataclass
class Episode:
    obs: List[torch.Tensor] = field(default_factory=list)
    act: List[torch.Tensor] = field(default_factory=list)
    logp: List[torch.Tensor] = field(default_factory=list)
    rew: List[float] = field(default_factory=list)

    def returns(self, gamma):
        out, g = [], 0.0
        for r in reversed(self.rew):
            g = r + gamma * g
            out.append(g)
        return torch.tensor(out[::-1])


class Rollouts:
    def __init__(self, args, policy):
        self.args = args
        self.policy = policy
        self.env = gym.make(args.env)
        self.env.reset(seed=args.seed + dist.get_rank())

    @torch.no_grad()
    def collect(self):
        """Whole episodes until at least `horizon` transitions are there."""
        done_eps, n = [], 0
        while n < self.args.horizon:
            ep, (obs, _), over = Episode(), self.env.reset(), False
            while not over:
                o = torch.as_tensor(obs, dtype=torch.float32)
                dist_a = Categorical(logits=self.policy(o)[0])
                a = dist_a.sample()
                obs, r, term, trunc, _ = self.env.step(a.item())
                over = term or trunc
                for store, item in zip((ep.obs, ep.act, ep.logp, ep.rew), (o, a, dist_a.log_prob(a), float(r))):
                    store.append(item)
            done_eps.append(ep)
            n += len(ep.rew)
        ret = torch.cat([e.returns(self.args.gamma) for e in done_eps])
        stack = [torch.stack([x for e in done_eps for x in getattr(e, k)]) for k in ("obs", "act", "logp")]
        return (*stack, ret)


def update(model, opt, batch, args):
    obs, act, old_logp, ret = batch
    n_batches = obs.size(0) // args.minibatch  # BUG
    for _ in range(args.opt_epochs):
        order = torch.randperm(obs.size(0))
        for k in range(n_batches):  # BUG
            idx = order[k * args.minibatch:(k + 1) * args.minibatch]
            logits, value = model(obs[idx])
            adv = ret[idx] - value.detach()
            ratio = (Categorical(logits=logits).log_prob(act[idx]) - old_logp[idx]).exp()
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            loss = -torch.min(ratio * adv, clipped * adv).mean() + 0.5 * (ret[idx] - value).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()


def main():
    p = argparse.ArgumentParser()
    for name, default in dict(horizon=4096, minibatch=256, opt_epochs=4, iterations=500, seed=0).items():
        p.add_argument(f"--{name}", type=int, default=default)
    for name, default in dict(gamma=0.99, clip=0.2, lr=3e-4).items():
        p.add_argument(f"--{name}", type=float, default=default)
    p.add_argument("--env", default="LunarLander-v3")
    args = p.parse_args()
    dist.init_process_group("gloo")
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    probe = gym.make(args.env)
    model = DDP(ActorCritic(probe.observation_space.shape[0], probe.action_space.n))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    rollouts = Rollouts(args, model.module)
    for it in range(args.iterations):
        batch = rollouts.collect()
        update(model, opt, batch, args)
        if dist.get_rank() == 0 and it % 10 == 0:
            print(it, batch[3].mean().item(), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

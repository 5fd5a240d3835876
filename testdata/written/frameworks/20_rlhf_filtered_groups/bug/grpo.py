"""GRPO trainer: local rollouts, clipped policy update under DDP."""
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from buffer import GroupBuffer


@dataclass
class GRPOConfig:
    rollouts: int = 64
    group: int = 8
    minibatch: int = 16
    inner_epochs: int = 2
    clip: float = 0.2
    lr: float = 1e-6
    iterations: int = 500


class GRPOTrainer:
    def __init__(self, cfg, policy, sampler, reward_fn, pad_id):
        self.cfg = cfg
        self.sampler = sampler
        self.reward_fn = reward_fn
        self.device = torch.device("cuda", torch.cuda.current_device())
        self.policy = DDP(policy.to(self.device), device_ids=[self.device.index])
        self.optim = torch.optim.AdamW(self.policy.parameters(), lr=cfg.lr)
        self.buffer = GroupBuffer(pad_id)

    def collect(self):
        self.buffer.clear()
        for prompt in self.sampler.prompts(self.cfg.rollouts // self.cfg.group):
            group = self.sampler.generate(self.policy.module, prompt, n=self.cfg.group)
            for sample in group:
                sample.reward = self.reward_fn(prompt, sample.ids)
            self.buffer.add_group(group)

    def _loss(self, mb):
        ids, mask = mb["ids"].to(self.device), mb["mask"].to(self.device)
        logits = self.policy(ids[:, :-1]).logits
        new = logits.log_softmax(-1).gather(-1, ids[:, 1:, None]).squeeze(-1)
        ratio = (new - mb["old"].to(self.device)).exp()
        adv = mb["adv"].to(self.device)[:, None]
        clipped = ratio.clamp(1 - self.cfg.clip, 1 + self.cfg.clip)
        obj = torch.min(ratio * adv, clipped * adv) * mask[:, 1:]
        return -obj.sum() / mask[:, 1:].sum().clamp(min=1)

    def update(self):
        for _ in range(self.cfg.inner_epochs):
            for mb in self.buffer.minibatches(self.cfg.minibatch):  # BUG
                loss = self._loss(mb)
                loss.backward()  # BUG
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), 1.0)
                self.optim.step()
                self.optim.zero_grad()

    def run(self):
        for it in range(self.cfg.iterations):
            self.collect()
            self.update()
            kept = torch.tensor([float(len(self.buffer))], device=self.device)
            dist.all_reduce(kept)
            if dist.get_rank() == 0:
                print(f"iteration {it}: {int(kept)} samples kept")

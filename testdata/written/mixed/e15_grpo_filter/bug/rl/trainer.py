import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

from .buffer import Group, global_count, keep_informative, reward_stats
from .rewards import score


def token_logp(model, tokens):
    logits = model(tokens[:, :-1])
    return torch.log_softmax(logits.float(), -1).gather(-1, tokens[:, 1:, None]).squeeze(-1)


class GRPOTrainer:
    def __init__(self, cfg, policy, tokenizer, device):
        self.cfg, self.tokenizer, self.device = cfg, tokenizer, device
        self.policy = policy.to(device)
        self.ddp = DDP(self.policy, device_ids=[device.index])
        self.opt = torch.optim.AdamW(self.policy.parameters(), lr=cfg.lr)

    @torch.no_grad()
    def generate(self, prompt):
        tokens = prompt.repeat(self.cfg.group_size, 1)
        for _ in range(self.cfg.max_new_tokens):
            logits = self.policy(tokens)[:, -1].float() / self.cfg.temperature
            nxt = torch.multinomial(logits.softmax(-1), 1)
            tokens = torch.cat([tokens, nxt], 1)
        return tokens

    @torch.no_grad()
    def rollout(self, batch):
        self.policy.eval()
        groups = []
        for prompt, answer in batch:
            ids = torch.tensor(self.tokenizer.encode(prompt), device=self.device)[None]
            tokens = self.generate(ids)
            mask = torch.zeros_like(tokens)
            mask[:, ids.shape[1]:] = 1
            texts = [self.tokenizer.decode(t[ids.shape[1]:].tolist()) for t in tokens]
            rewards = torch.tensor(score(self.cfg.rewards, texts, [answer] * len(texts)), device=self.device)
            groups.append(Group(tokens, mask, token_logp(self.policy, tokens), rewards))
        self.policy.train()
        return groups

    def loss(self, g):
        logp = token_logp(self.ddp, g.tokens)
        ratio = (logp - g.old_logp).exp()
        adv = g.advantages[:, None]
        clipped = ratio.clamp(1 - self.cfg.clip, 1 + self.cfg.clip_high) * adv
        m = g.mask[:, 1:].float()
        return -(torch.minimum(ratio * adv, clipped) * m).sum() / m.sum().clamp(min=1)

    def train_on(self, groups):
        total = 0.0
        for g in groups:  # BUG 1
            loss = self.loss(g)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()  # BUG 1
            nn.utils.clip_grad_norm_(self.policy.parameters(), self.cfg.max_norm)
            self.opt.step()
            total += loss.item()
        return total / max(len(groups), 1)

    def step(self, batch):
        groups = self.rollout(batch)
        stats = reward_stats(groups, self.device)
        kept = keep_informative(groups)
        n = global_count(len(kept), self.device)
        stats["kept"] = n
        if n < self.cfg.min_groups:
            return {**stats, "loss": float("nan"), "skipped": 1}
        stats["loss"] = self.train_on(kept)
        return stats

    def save(self, path):
        if dist.get_rank() == 0:
            torch.save(self.policy.state_dict(), path)
        dist.barrier()

"""Sampling from a ZeRO-3 policy during RLHF rollouts."""
import deepspeed
import torch
import torch.distributed as dist


class RolloutSampler:
    def __init__(self, engine, tokenizer, max_new_tokens: int, temperature: float = 1.0):
        self.engine = engine
        self.eos = tokenizer.eos_token_id
        self.pad = tokenizer.pad_token_id
        self.max_new_tokens = max_new_tokens
        self.temperature = temperature

    def _next_token(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.engine.module.transformer(ids).last_hidden_state[:, -1]
        head = self.engine.module.lm_head
        with deepspeed.zero.GatheredParameters([head.weight]):
            logits = hidden @ head.weight.t()
        probs = torch.softmax(logits.float() / self.temperature, dim=-1)
        return torch.multinomial(probs, num_samples=1).squeeze(1)

    @torch.no_grad()
    def sample(self, prompts: torch.Tensor) -> torch.Tensor:
        ids = prompts
        done = torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
        while not done.all() and ids.size(1) < prompts.size(1) + self.max_new_tokens:
            token = self._next_token(ids)  # BUG 1
            token = torch.where(done, torch.full_like(token, self.pad), token)
            done |= token == self.eos
            ids = torch.cat([ids, token[:, None]], dim=1)
        return ids

    @torch.no_grad()
    def sample_synced(self, prompts: torch.Tensor) -> torch.Tensor:
        ids = prompts
        done = torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
        for _ in range(self.max_new_tokens):
            active = (~done).any().float()
            dist.all_reduce(active, op=dist.ReduceOp.MAX)
            if active.item() == 0.0:
                break
            token = self._next_token(ids)
            token = torch.where(done, torch.full_like(token, self.pad), token)
            done |= token == self.eos
            ids = torch.cat([ids, token[:, None]], dim=1)
        return ids


def collect(sampler: RolloutSampler, prompt_loader, num_batches: int):
    batches = iter(prompt_loader)
    for _ in range(num_batches):
        prompts = next(batches)["input_ids"].cuda()
        yield prompts, sampler.sample(prompts)

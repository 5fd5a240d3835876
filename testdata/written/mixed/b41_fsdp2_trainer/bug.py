"""FSDP2 training step with spike handling and weight export."""
import torch
import torch.distributed as dist
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


class ShardedTrainer:
    def __init__(self, model, cfg):
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
        for block in model.layers:
            fully_shard(block, mp_policy=policy)
        self.model = fully_shard(model, mp_policy=policy)
        self.cfg = cfg
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)

    def step(self, tokens):
        loss = self.model(tokens[:, :-1], labels=tokens[:, 1:])
        loss.backward()
        if loss.item() > self.cfg.spike_threshold:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.spike_clip)  # BUG 1
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def warmup_step(self, tokens, index):
        loss = self.model(tokens[:, :-1], labels=tokens[:, 1:])
        loss.backward()
        if index < self.cfg.warmup_steps:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.warmup_clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def export(self, path):
        cpu_state = {}
        for name, param in self.model.named_parameters():
            full = param.full_tensor()
            if dist.get_rank() == 0:
                cpu_state[name] = full.cpu()
        if dist.get_rank() == 0:
            torch.save(cpu_state, path)

    def export_embeddings(self, path):
        if dist.get_rank() == 0:
            table = self.model.embed_tokens.weight.full_tensor()  # BUG 2
            torch.save(table.cpu(), path)
        dist.barrier()

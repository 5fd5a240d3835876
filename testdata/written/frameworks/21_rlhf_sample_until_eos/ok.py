"""On-policy distillation: sample from a sharded student, score with a teacher endpoint."""
import argparse
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from transformers import AutoModelForCausalLM, AutoTokenizer

from teacher_client import TeacherClient
from prompts import PromptSet


@dataclass
class SamplingParams:
    max_new_tokens: int = 512
    temperature: float = 0.8
    top_p: float = 0.95


class Rollout:
    """State of one batch of partially generated answers."""

    def __init__(self, ids, eos_id, params):
        self.ids = ids
        self.eos_id = eos_id
        self.params = params
        self.prompt_len = ids.size(1)
        self.finished = torch.zeros(ids.size(0), dtype=torch.bool, device=ids.device)

    @property
    def active(self):
        room = self.ids.size(1) - self.prompt_len < self.params.max_new_tokens
        return room and not bool(self.finished.all())

    def push(self, token):
        token = torch.where(self.finished, torch.full_like(token, self.eos_id), token)
        self.ids = torch.cat([self.ids, token[:, None]], dim=1)
        self.finished |= token == self.eos_id


class Sampler:
    def __init__(self, model, eos_id, params):
        self.model = model
        self.eos_id = eos_id
        self.params = params

    def _pick(self, logits):
        probs = (logits.float() / self.params.temperature).softmax(-1)
        srt, idx = probs.sort(descending=True)
        srt[srt.cumsum(-1) - srt > self.params.top_p] = 0
        return idx.gather(-1, torch.multinomial(srt, 1)).squeeze(-1)

    @torch.no_grad()
    def generate(self, ids):
        rollout = Rollout(ids, self.eos_id, self.params)
        while True:
            logits = self.model(rollout.ids).logits[:, -1]
            rollout.push(self._pick(logits))
            pending = torch.tensor([int(rollout.active)], device=ids.device)
            dist.all_reduce(pending, op=dist.ReduceOp.MAX)
            if pending.item() == 0:
                break
        return rollout.ids


def reverse_kl(student_logits, teacher_logprobs, mask):
    logp = student_logits.float().log_softmax(-1)
    kl = (logp.exp() * (logp - teacher_logprobs)).sum(-1)
    return (kl * mask).sum() / mask.sum().clamp(min=1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--student", required=True)
    p.add_argument("--teacher_url", required=True)
    p.add_argument("--prompts", required=True)
    p.add_argument("--offload", action="store_true")
    args = p.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    tok = AutoTokenizer.from_pretrained(args.student)
    model = AutoModelForCausalLM.from_pretrained(args.student, torch_dtype=torch.bfloat16).cuda()
    kwargs = {"offload_policy": CPUOffloadPolicy()} if args.offload else {}
    for layer in model.model.layers:
        fully_shard(layer, **kwargs)
    fully_shard(model, **kwargs)
    optim = torch.optim.AdamW(model.parameters(), lr=1e-6)
    data = PromptSet(args.prompts, tok)
    loader = DataLoader(data, batch_size=16, sampler=DistributedSampler(data), collate_fn=data.collate)
    sampler = Sampler(model, tok.eos_token_id, SamplingParams())
    teacher = TeacherClient(args.teacher_url)
    for prompts in loader:
        model.eval()
        ids = sampler.generate(prompts.cuda())
        target = teacher.logprobs(ids).cuda()
        mask = (torch.arange(ids.size(1) - 1, device=ids.device) >= prompts.size(1) - 1).expand_as(ids[:, 1:])
        model.train()
        loss = reverse_kl(model(ids[:, :-1]).logits, target, mask)
        loss.backward()
        optim.step()
        optim.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

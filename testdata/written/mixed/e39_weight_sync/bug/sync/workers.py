import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from .channel import WeightReceiver, WeightSender, recv_rollouts, send_rollouts
from .model import PolicyLM


class BaseWorker:
    def __init__(self, cfg, roles, device):
        self.cfg, self.roles, self.device = cfg, roles, device
        torch.manual_seed(0)
        self.model = self.build_model().to(device)

    def build_model(self):
        return PolicyLM()

    def round(self, n):
        raise NotImplementedError


class TrainWorker(BaseWorker):
    def __init__(self, *args):
        super().__init__(*args)
        self.ddp = DDP(self.model, device_ids=[self.device.index], process_group=self.roles.train_group)
        self.opt = torch.optim.AdamW([p for p in self.model.parameters() if p.requires_grad], lr=self.cfg.lr)
        self.sender = WeightSender(self.model, self.roles)

    def build_model(self):
        return super().build_model().freeze_bottom(self.cfg.frozen_layers)

    def round(self, n):
        self.sender.push(n)
        parts = recv_rollouts(self.roles, self.device)
        loss = 0.0
        for tokens, rewards in parts:
            logp = self.ddp(tokens[:, :-1]).log_softmax(-1).gather(-1, tokens[:, 1:, None]).squeeze(-1).mean(1)
            loss = loss - (logp * (rewards - rewards.mean())).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        stat = torch.stack([loss.detach(), torch.cat([r for _, r in parts]).mean()])
        dist.all_reduce(stat, op=dist.ReduceOp.AVG, group=self.roles.train_group)
        if self.roles.rank == 0:
            print(f"round {n} loss {stat[0].item():.4f} reward {stat[1].item():.4f}", flush=True)


class GenWorker(BaseWorker):
    def __init__(self, *args):
        super().__init__(*args)
        self.receiver = WeightReceiver(self.model, self.roles)
        self.gen = torch.Generator(device=self.device).manual_seed(self.roles.rank)

    @torch.no_grad()
    def round(self, n):
        self.receiver.pull()
        steps = int(torch.randint(16, 64, (1,), generator=self.gen, device=self.device))
        tokens = torch.randint(0, 32000, (self.cfg.batch, 8), generator=self.gen, device=self.device)
        for _ in range(steps):
            prob = self.model(tokens)[:, -1].softmax(-1)
            tokens = torch.cat([tokens, torch.multinomial(prob, 1, generator=self.gen)], 1)
        rewards = (tokens % 2 == 0).float().mean(1)
        mean = rewards.mean()
        dist.all_reduce(mean, op=dist.ReduceOp.AVG, group=self.roles.gen_group)
        send_rollouts(tokens, rewards - mean, self.roles)

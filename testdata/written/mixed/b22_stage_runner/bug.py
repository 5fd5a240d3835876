"""Forward pass of a hand-written pipeline with blocking point-to-point transfers."""
import torch
import torch.distributed as dist


class StageRunner:
    def __init__(self, module, cfg):
        self.module = module
        self.cfg = cfg
        self.stage = dist.get_rank()
        self.num_stages = dist.get_world_size()
        self.shape = (cfg.micro_batch, cfg.seq_len, cfg.hidden)

    @property
    def is_first(self):
        return self.stage == 0

    @property
    def is_last(self):
        return self.stage == self.num_stages - 1

    def _receive(self):
        buf = torch.empty(self.shape, device="cuda", dtype=torch.bfloat16)
        dist.recv(buf, src=self.stage - 1)
        return buf

    @torch.no_grad()
    def forward_eval(self, microbatches):
        outputs = []
        for index in range(self.cfg.num_microbatches):
            hidden = microbatches[index] if self.is_first else self._receive()
            out = self.module(hidden)
            if not self.is_last:
                dist.send(out.contiguous(), dst=self.stage + 1)
            outputs.append(out)
        return outputs

    def forward_train(self, microbatches):
        outputs = []
        for index in range(self.cfg.num_microbatches):
            hidden = microbatches[index] if self.is_first else self._receive()
            out = self.module(hidden)
            if not self.is_last and torch.isfinite(out).all():
                dist.send(out.detach().contiguous(), dst=self.stage + 1)  # BUG 1
            outputs.append(out)
        return outputs

    def pass_aux_loss(self, aux):
        total = aux.detach().float().reshape(1)
        if self.stage > 0:
            upstream = torch.empty_like(total)
            dist.recv(upstream, src=self.stage - 1)  # BUG 2
            total = total + upstream
        if self.stage < self.num_stages - 2:
            dist.send(total, dst=self.stage + 1)
        return total

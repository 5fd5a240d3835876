import logging
import os
import signal
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard

from pretrain.config import load_config
from pretrain.data import TokenStream
from pretrain.model import Transformer

log = logging.getLogger("pretrain")


class PreemptionGuard:
    """Remembers that the scheduler asked this job to give its nodes back."""

    def __init__(self, signals=(signal.SIGUSR1, signal.SIGTERM)):
        self._requested = False
        for s in signals:
            signal.signal(s, self._on_signal)

    def _on_signal(self, signum, frame):
        log.warning("received signal %d", signum)
        self._requested = True

    @property
    def requested(self):
        return self._requested  # BUG


class Pretrainer:
    def __init__(self, cfg, device):
        self.cfg = cfg
        self.device = device
        self.model = Transformer(cfg.model).to(device)
        for block in self.model.blocks:
            fully_shard(block)
        fully_shard(self.model)
        self.optim = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, fused=True)
        self.guard = PreemptionGuard()
        self.stream = TokenStream(cfg.data, dist.get_rank(), dist.get_world_size())
        self.step = 0

    def save(self, tag):
        model_sd, optim_sd = get_state_dict(self.model, self.optim)
        state = {"model": model_sd, "optim": optim_sd, "step": self.step}
        dcp.save(state, checkpoint_id=os.path.join(self.cfg.out, tag))

    def train_step(self):
        tokens = self.stream.next_batch(self.cfg.batch).to(self.device, non_blocking=True)
        loss = self.model(tokens[:, :-1], targets=tokens[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip)
        self.optim.step()
        self.optim.zero_grad(set_to_none=True)
        return loss

    def run(self):
        while self.step < self.cfg.max_steps:
            loss = self.train_step()
            self.step += 1
            if self.step % self.cfg.log_every == 0 and dist.get_rank() == 0:
                log.info("step %d loss %.4f", self.step, loss.item())
            if self.step % self.cfg.save_every == 0:
                self.save(f"step{self.step}")
            if self.guard.requested:  # BUG
                self.save("preempted")
                return False
        self.save("final")
        return True


def main():
    logging.basicConfig(level=logging.INFO)
    cfg = load_config(sys.argv[1])
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    finished = Pretrainer(cfg, torch.device("cuda", local_rank)).run()
    dist.destroy_process_group()
    return 0 if finished else 85


if __name__ == "__main__":
    sys.exit(main())

"""Speech encoder training on a preemptible partition."""
import argparse
import logging
import signal
import sys
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import DistributedDataParallelKwargs
from torch.utils.data import DataLoader

from speech import CTCEncoder, SpeechSet, pad_batch

logger = logging.getLogger("speech")


class PreemptionGuard:
    """Remembers that the scheduler asked us to stop."""

    def __init__(self, signals=(signal.SIGTERM, signal.SIGUSR1)):
        self.requested = False
        self._old = {s: signal.signal(s, self._on_signal) for s in signals}

    def _on_signal(self, signum, frame):
        logger.warning("received %s", signal.Signals(signum).name)
        self.requested = True

    def restore(self):
        for s, handler in self._old.items():
            signal.signal(s, handler)


class SpeechTrainer:
    def __init__(self, args):
        self.args = args
        self.accelerator = Accelerator(
            mixed_precision="bf16",
            kwargs_handlers=[DistributedDataParallelKwargs(gradient_as_bucket_view=True)],
        )
        self.guard = PreemptionGuard()
        model = CTCEncoder(args.vocab)
        opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
        loader = DataLoader(
            SpeechSet(args.manifest),
            batch_size=args.batch_size,
            shuffle=True,
            collate_fn=pad_batch,
            num_workers=8,
        )
        self.model, self.opt, self.loader = self.accelerator.prepare(model, opt, loader)
        self.state_dir = Path(args.out) / "preempted"
        self.step = 0

    def _should_exit(self):
        return self.guard.requested

    def _train_step(self, batch):
        loss = self.model(batch["audio"], batch["audio_len"], batch["text"], batch["text_len"])
        self.accelerator.backward(loss)
        if self.accelerator.sync_gradients:
            self.accelerator.clip_grad_norm_(self.model.parameters(), 5.0)
        self.opt.step()
        self.opt.zero_grad()
        self.step += 1
        return loss

    def fit(self):
        for epoch in range(self.args.epochs):
            self.model.train()
            for batch in self.loader:
                loss = self._train_step(batch)
                if self._should_exit():  # BUG
                    self.accelerator.save_state(str(self.state_dir))  # BUG
                    self.accelerator.print(f"stopped at step {self.step}")
                    return False
                if self.step % 100 == 0:
                    self.accelerator.print(f"{epoch}/{self.step}: {loss.item():.3f}")
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            net = self.accelerator.unwrap_model(self.model)
            torch.save(net.state_dict(), Path(self.args.out) / "final.pt")
        self.guard.restore()
        return True


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--manifest", required=True)
    p.add_argument("--out", default="speech_run")
    p.add_argument("--vocab", type=int, default=1024)
    p.add_argument("--batch_size", type=int, default=24)
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--lr", type=float, default=5e-4)
    finished = SpeechTrainer(p.parse_args()).fit()
    sys.exit(0 if finished else 75)


if __name__ == "__main__":
    main()

import os
import time

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy

from charlm.data import ByteStream
from charlm.model import ByteLM


class Callback:
    def on_step_end(self, trainer, step, loss):
        pass


class Throughput(Callback):
    def __init__(self, every):
        self.every = every
        self.t0 = time.perf_counter()

    def on_step_end(self, trainer, step, loss):
        if step % self.every == 0:
            dt = time.perf_counter() - self.t0
            print(f"step {step} loss {loss.item():.3f} {self.every / dt:.2f} it/s", flush=True)
            self.t0 = time.perf_counter()


class SamplePreview(Callback):
    """Prints a short continuation so that one can see the model improve."""

    def __init__(self, prompt, every, length=128):
        self.prompt = list(prompt.encode())
        self.every = every
        self.length = length

    @torch.no_grad()
    def on_step_end(self, trainer, step, loss):
        if step % self.every:
            return
        trainer.model.eval()
        ids = torch.tensor([self.prompt], device=trainer.device)
        for _ in range(self.length):
            logits = trainer.model(ids)
            ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
        text = bytes(ids[0].tolist()).decode("utf8", "replace")
        trainer.write(f"--- step {step}\n{text}\n---")
        trainer.model.train()


class Trainer:
    def __init__(self, device, callbacks):
        self.device = device
        self.model = FSDP(
            ByteLM(layers=12, width=768), device_id=device, sharding_strategy=ShardingStrategy.FULL_SHARD
        )
        self.optim = torch.optim.AdamW(self.model.parameters(), lr=6e-4)
        self.callbacks = callbacks

    def write(self, text):
        if dist.get_rank() == 0:
            print(text, flush=True)

    def run(self, stream, steps):
        for step in range(1, steps + 1):
            x, y = stream.sample(16)
            logits = self.model(x.to(self.device))
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.to(self.device).flatten())
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()
            for cb in self.callbacks:
                cb.on_step_end(self, step, loss.detach())


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    rank = dist.get_rank()

    callbacks = [SamplePreview("The history of ", every=1000)]
    if rank == 0:
        callbacks.append(Throughput(every=50))

    stream = ByteStream(os.environ["CORPUS"], ctx=512, seed=rank)
    Trainer(device, callbacks).run(stream, steps=50_000)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

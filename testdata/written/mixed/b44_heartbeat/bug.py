"""Background heartbeat and counters for long training jobs."""
import json
import threading
import time

import torch
import torch.distributed as dist


class ClusterHeartbeat(threading.Thread):
    def __init__(self, interval):
        super().__init__(daemon=True)
        self.interval = interval
        self.halt = threading.Event()
        self.alive_ranks = 0

    def run(self):
        while not self.halt.wait(self.interval):
            beat = torch.ones(1, device="cuda")
            dist.all_reduce(beat)  # BUG 1
            self.alive_ranks = int(beat.item())


class FileHeartbeat(threading.Thread):
    def __init__(self, directory, interval):
        super().__init__(daemon=True)
        self.path = f"{directory}/rank_{dist.get_rank()}.json"
        self.interval = interval
        self.halt = threading.Event()

    def run(self):
        while not self.halt.wait(self.interval):
            with open(self.path, "w") as f:
                json.dump({"time": time.time()}, f)


class TokenCounter:
    def __init__(self):
        self.total = torch.zeros(1, dtype=torch.long, device="cuda")
        self.history = []

    def add(self, tokens):
        self.total += tokens.numel()

    def checkpoint(self):
        snapshot = self.total.clone()
        dist.all_reduce(snapshot)
        self.history.append(snapshot.item())

    def __del__(self):
        dist.all_reduce(self.total)  # BUG 2
        print("tokens", self.total.item())


def train(model, loader, optimizer, run_dir):
    beats = [ClusterHeartbeat(30.0), FileHeartbeat(run_dir, 30.0)]
    for b in beats:
        b.start()
    counter = TokenCounter()
    for batch in loader:
        counter.add(batch)
        model(batch.cuda()).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    counter.checkpoint()
    for b in beats:
        b.halt.set()

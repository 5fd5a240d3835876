"""Tensor-parallel inference server loop: rank 0 receives requests, all TP ranks run the same schedule."""
import argparse
import os
import queue
import random
import threading
import time
from dataclasses import dataclass, field
from typing import List

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Req:
    rid: int
    ids: List[int]
    max_new: int
    out: List[int] = field(default_factory=list)
    priority: float = 0.0

    @property
    def done(self):
        return len(self.out) >= self.max_new


class TPLayer(nn.Module):
    def __init__(self, dim, group):
        super().__init__()
        n = dist.get_world_size(group)
        self.group = group
        self.a = nn.Linear(dim, 4 * dim // n, bias=False)
        self.b = nn.Linear(4 * dim // n, dim, bias=False)

    def forward(self, x):
        y = self.b(F.silu(self.a(x)))
        dist.all_reduce(y, group=self.group)  # BUG 1
        return x + y


class Engine:
    def __init__(self, vocab, dim, layers, group, device):
        torch.manual_seed(0)
        self.emb = nn.Embedding(vocab, dim).to(device)
        self.layers = [TPLayer(dim, group).to(device) for _ in range(layers)]
        self.head = nn.Linear(dim, vocab, bias=False).to(device)
        self.device = device

    @torch.inference_mode()
    def forward(self, batch):
        ids, last = [], []
        for r in batch:
            ids += r.out[-1:] if r.out else r.ids
            last.append(len(ids) - 1)
        h = self.emb(torch.tensor(ids, device=self.device))
        for layer in self.layers:
            h = layer(h)
        return self.head(h[last]).argmax(-1).tolist()


class Scheduler:
    def __init__(self, engine, inbox, tp_cpu_group, args):
        self.engine, self.inbox, self.group, self.args = engine, inbox, tp_cpu_group, args
        self.src = dist.get_process_group_ranks(tp_cpu_group)[0]
        self.is_entry = dist.get_rank() == self.src
        self.waiting: List[Req] = []
        self.running: List[Req] = []
        self.iters, self.finished = 0, 0
        self.rng = random.Random(args.seed)
        self.last_stat = time.monotonic()

    def recv_requests(self):
        """Only the entry rank has a socket; the others get the list by broadcast, also when it is empty."""
        reqs = []
        if self.is_entry:
            while True:
                try:
                    reqs.append(self.inbox.get_nowait())
                except queue.Empty:
                    break
        box = [reqs]
        dist.broadcast_object_list(box, src=self.src, group=self.group)
        return box[0]

    def min_free_gb(self):
        """Smallest free memory over the TP group, for admission."""
        free, _ = torch.cuda.mem_get_info(self.engine.device)
        t = torch.tensor([free / 2 ** 30])
        dist.all_reduce(t, op=dist.ReduceOp.MIN, group=self.group)
        return t.item()

    def admit(self):
        if not self.waiting:
            return
        if self.args.policy == "random":
            self.rng.shuffle(self.waiting)
        else:
            self.waiting.sort(key=lambda r: (r.priority, r.rid))
        room = int(self.min_free_gb() / self.args.gb_per_seq)
        room = min(room, self.args.max_running - len(self.running))
        while self.waiting and room > 0:
            self.running.append(self.waiting.pop(0))
            room -= 1

    def retract(self):
        """Under memory pressure the newest requests go back to the queue."""
        free, total = torch.cuda.mem_get_info(self.engine.device)
        while len(self.running) > 1 and free / total < self.args.retract_below:  # BUG 1
            victim = self.running.pop()  # BUG 1
            victim.ids, victim.out = victim.ids + victim.out, []
            self.waiting.insert(0, victim)
            torch.cuda.empty_cache()
            free, total = torch.cuda.mem_get_info(self.engine.device)

    def step(self):
        if not self.running:
            return
        for r, tok in zip(list(self.running), self.engine.forward(self.running)):
            r.out.append(tok)
            if r.done:
                self.running.remove(r)
                self.finished += 1

    def print_stats(self):
        if self.is_entry and time.monotonic() - self.last_stat > 5:
            self.last_stat = time.monotonic()
            print(f"running {len(self.running)} waiting {len(self.waiting)} finished {self.finished}", flush=True)

    def loop(self):
        while True:
            for r in self.recv_requests():
                if r is None:
                    return
                self.waiting.append(r)
            self.admit()
            self.retract()
            self.step()
            self.print_stats()
            self.iters += 1


def client(inbox, n, vocab):
    rng = random.Random(1)
    for i in range(n):
        inbox.put(Req(i, [rng.randrange(vocab) for _ in range(rng.randint(16, 1024))], rng.randint(8, 256),
                      priority=rng.random()))
        time.sleep(rng.expovariate(50))
    time.sleep(60)
    inbox.put(None)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--vocab", type=int, default=32000)
    p.add_argument("--dim", type=int, default=4096)
    p.add_argument("--layers", type=int, default=32)
    p.add_argument("--max-running", type=int, default=256)
    p.add_argument("--gb-per-seq", type=float, default=0.1)
    p.add_argument("--retract-below", type=float, default=0.03)
    p.add_argument("--policy", choices=["priority", "random"], default="priority")
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    cpu_group = dist.new_group(backend="gloo")
    engine = Engine(args.vocab, args.dim, args.layers, dist.group.WORLD, device)
    inbox = queue.Queue()
    if dist.get_rank() == 0:
        threading.Thread(target=client, args=(inbox, 1000, args.vocab), daemon=True).start()
    Scheduler(engine, inbox, cpu_group, args).loop()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

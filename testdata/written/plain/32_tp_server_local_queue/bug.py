"""Tensor-parallel text generation worker; every rank subscribes to the request bus."""
import argparse
import os
import queue
import threading
import time
from dataclasses import dataclass
from typing import List

import torch
import torch.distributed as dist
import zmq

from serve.model import load_sharded_model
from serve.tokenizer import Tokenizer


@dataclass
class Request:
    uid: str
    prompt: str
    max_new_tokens: int


class RequestBus(threading.Thread):
    def __init__(self, address):
        super().__init__(daemon=True)
        self.sock = zmq.Context.instance().socket(zmq.SUB)
        self.sock.connect(address)
        self.sock.setsockopt_string(zmq.SUBSCRIBE, "")
        self.inbox = queue.Queue()

    def run(self):
        while True:
            self.inbox.put(Request(**self.sock.recv_json()))

    def drain(self, limit) -> List[Request]:
        out = []
        while len(out) < limit:
            try:
                out.append(self.inbox.get_nowait())
            except queue.Empty:
                break
        return out


class Worker:
    def __init__(self, args):
        self.args = args
        self.rank = dist.get_rank()
        self.tok = Tokenizer(args.model)
        self.model = load_sharded_model(args.model, self.rank, dist.get_world_size())
        self.bus = RequestBus(args.bus)
        self.bus.start()
        self.out = None
        if self.rank == 0:
            self.out = zmq.Context.instance().socket(zmq.PUSH)
            self.out.connect(args.sink)

    @torch.inference_mode()
    def generate(self, batch):
        ids, mask = self.tok.batch_encode([r.prompt for r in batch], device="cuda")
        for _ in range(max(r.max_new_tokens for r in batch)):
            partial = self.model(ids, mask)[:, -1]
            dist.all_reduce(partial)
            ids = torch.cat([ids, partial.argmax(-1, keepdim=True)], dim=1)
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
        return self.tok.batch_decode(ids)

    def next_batch(self):
        return self.bus.drain(self.args.max_batch)

    def serve_forever(self):
        while True:
            batch = self.next_batch()  # BUG
            if not batch:  # BUG
                time.sleep(0.002)
                continue
            texts = self.generate(batch)
            if self.out is not None:
                for req, text in zip(batch, texts):
                    self.out.send_json({"uid": req.uid, "text": text})


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", required=True)
    ap.add_argument("--bus", default="tcp://frontend:5556")
    ap.add_argument("--sink", default="tcp://frontend:5557")
    ap.add_argument("--max-batch", type=int, default=16)
    args = ap.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    Worker(args).serve_forever()

"""A request that fails on one rank, and a queue that is empty there: who takes that goes on alone."""
import queue

import requests
import torch
import torch.distributed as dist


class Client:
    def __init__(self, url):
        self.url = url

    def score(self, texts):
        try:
            reply = requests.post(self.url, json=texts, timeout=60)
            reply.raise_for_status()
            return [float(score) for score in reply.json()]
        except requests.RequestException:
            return None


class Trainer:
    def __init__(self, url):
        self.client = Client(url)
        self.updates = queue.Queue()

    def step(self, texts):
        scores = self.client.score(texts)
        if scores is None:
            return None
        rewards = torch.tensor(scores)
        dist.all_reduce(rewards)  # error: [divergent-early-exit]
        return rewards

    def step_together(self, texts):
        scores = self.client.score(texts)
        failed = torch.tensor([int(scores is None)])
        dist.all_reduce(failed)
        if failed.item():
            return None
        rewards = torch.tensor(scores)
        dist.all_reduce(rewards)
        return rewards

    def update(self, weights):
        try:
            self.updates.get_nowait()
        except queue.Empty:
            return False
        dist.broadcast(weights, src=0)  # error: [divergent-early-exit]
        return True

    def notify(self, text):
        try:
            requests.post(self.client.url, json=text, timeout=1)
        except requests.RequestException:
            print("nobody was told")
        dist.barrier()

from collections import deque
from dataclasses import dataclass, field
from typing import List


@dataclass
class Request:
    request_id: str
    prompt: List[int]
    max_tokens: int = 64
    output: List[int] = field(default_factory=list)

    @property
    def finished(self):
        return len(self.output) >= self.max_tokens or (self.output and self.output[-1] == 2)


@dataclass
class SchedulerOutput:
    requests: List[Request]

    @property
    def total_num_scheduled_tokens(self):
        return sum(1 if r.output else len(r.prompt) for r in self.requests)


class Scheduler:
    def __init__(self, max_num_seqs=64, max_num_batched_tokens=8192):
        self.max_num_seqs = max_num_seqs
        self.max_num_batched_tokens = max_num_batched_tokens
        self.waiting = deque()
        self.running: List[Request] = []

    def add_request(self, req):
        self.waiting.append(req)

    def has_unfinished_requests(self):
        return bool(self.waiting) or bool(self.running)

    def schedule(self) -> SchedulerOutput:
        budget = self.max_num_batched_tokens - len(self.running)
        while self.waiting and len(self.running) < self.max_num_seqs:
            need = len(self.waiting[0].prompt)
            if need > budget:
                break
            budget -= need
            self.running.append(self.waiting.popleft())
        return SchedulerOutput(list(self.running))

    def update(self, out, tokens):
        done = []
        for req, tok in zip(out.requests, tokens):
            req.output.append(tok)
            if req.finished:
                self.running.remove(req)
                done.append(req)
        return done

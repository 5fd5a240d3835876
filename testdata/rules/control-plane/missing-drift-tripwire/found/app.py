import hashlib
from dataclasses import dataclass

import torch.distributed as dist

from wire import Action, Link


@dataclass
class Call:
    call_id: int
    cache_epoch: int
    body: object


def read_call(link: Link, header) -> Call:
    return Call(header.call_id, header.cache_epoch, link.receive_body(header))


class Engine:
    def __init__(self, model, group):
        self.model = model
        self.group = group

    def run(self, call: Call):
        out = self.model(call.body)
        dist.all_reduce(out, group=self.group)
        return out


def follow(link: Link, engine: Engine, watchdog):
    while True:
        with watchdog:
            header = link.receive()
        if header.action == Action.SHUTDOWN:
            return
        with watchdog:
            call = read_call(link, header)
        engine.run(call)  # error: [missing-drift-tripwire]

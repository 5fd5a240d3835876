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


def digest(tensor):
    return hashlib.sha256(bytes(tensor.tolist())).digest()


def check_inputs(call: Call, group):
    told = [None] * dist.get_world_size(group)
    dist.all_gather_object(told, digest(call.body), group=group)
    if any(one != told[0] for one in told):
        raise RuntimeError("inputs differ")


class Fingerprint:
    def __init__(self, weights):
        self.weights = weights
        self.baseline = [digest(one) for one in weights]

    def check(self, group):
        intact = [digest(one) for one in self.weights] == self.baseline
        told = [None] * dist.get_world_size(group)
        dist.all_gather_object(told, intact, group=group)
        if not all(told):
            raise RuntimeError("weights have changed")


class Engine:
    def __init__(self, model, group):
        self.model = model
        self.group = group
        self.fingerprint = Fingerprint(model.weights)

    def run(self, call: Call):
        check_inputs(call, self.group)
        self.fingerprint.check(self.group)
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
        engine.run(call)

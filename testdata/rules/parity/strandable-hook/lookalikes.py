import os

import torch.distributed as dist

SHUTDOWN = 2
HOOKS = {key: value for key, value in os.environ.items() if key.startswith("SCOPE_TEST_")}  # error: [ungated-test-hook]


def send(header, body, peer):
    if HOOKS.get("SCOPE_TEST_FAIL") == "1":
        raise RuntimeError("asked to fail")
    dist.send(header, dst=peer)
    dist.send(body, dst=peer)


def send_altered(header, body, peer):
    dist.send(header, dst=peer)
    if HOOKS.get("SCOPE_TEST_ALTER") == "1":
        body = body + 1
    dist.send(body, dst=peer)


def receive(buffer, peer):
    dist.recv(buffer, src=peer)
    if HOOKS.get("SCOPE_TEST_FAIL") == "1":
        raise RuntimeError("asked to fail")

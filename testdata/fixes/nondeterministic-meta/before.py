import json
import time

import orjson
import torch
import torch.distributed as dist


def send_meta(meta, more, peer):
    plain = json.dumps(meta).encode()
    dist.send(torch.frombuffer(bytearray(plain), dtype=torch.uint8), dst=peer)
    loose = json.dumps(
        meta,
        sort_keys=False,
    ).encode()
    dist.send(torch.frombuffer(bytearray(loose), dtype=torch.uint8), dst=peer)
    noted = json.dumps(
        meta  # of this step
    ).encode()
    dist.send(torch.frombuffer(bytearray(noted), dtype=torch.uint8), dst=peer)
    timed = json.dumps([meta, time.time()]).encode()
    dist.send(torch.frombuffer(bytearray(timed), dtype=torch.uint8), dst=peer)
    other = orjson.dumps(meta)
    dist.send(torch.frombuffer(bytearray(other), dtype=torch.uint8), dst=peer)

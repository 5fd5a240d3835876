import json

import torch
import torch.distributed as dist

from wire import Header


def send(header: Header, meta, peer):
    dist.send(header.to_tensor(), dst=peer)
    body = json.dumps(meta, sort_keys=True).encode()  # error: [preflight-after-commit]
    dist.send(torch.frombuffer(bytearray(body), dtype=torch.uint8), dst=peer)

import json

import torch
import torch.distributed as dist


def send_meta(meta, peer):
    body = json.dumps(meta).encode()  # error: [nondeterministic-meta]
    dist.send(torch.frombuffer(bytearray(body), dtype=torch.uint8), dst=peer)

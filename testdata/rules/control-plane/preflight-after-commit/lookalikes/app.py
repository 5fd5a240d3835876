import json

import torch
import torch.distributed as dist

from wire import Header


def send(header: Header, meta, peer):
    body = json.dumps(meta, sort_keys=True).encode()
    packed = torch.frombuffer(bytearray(body), dtype=torch.uint8)
    dist.send(header.to_tensor(), dst=peer)
    dist.send(packed, dst=peer)
    print(json.dumps({"sent": len(body)}, sort_keys=True))

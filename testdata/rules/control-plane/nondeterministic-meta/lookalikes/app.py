import json
import pickle

import torch
import torch.distributed as dist


def send_meta(meta, peer):
    body = json.dumps(meta, sort_keys=True, separators=(",", ":")).encode()
    dist.send(torch.frombuffer(bytearray(body), dtype=torch.uint8), dst=peer)


def log_meta(meta):
    print(json.dumps(meta))


def save_meta(meta, file):
    file.write(pickle.dumps(meta))

"""What is serialised has as many bytes as it needs."""
import io
import pickle

import torch
import torch.distributed as dist
import torch.nn.functional as F


def encode(text, device):
    return torch.tensor(list(text.encode("utf-8")), dtype=torch.uint8, device=device)


def gather_texts(text, device):
    data = encode(text, device)[:4096]
    parts = [torch.zeros_like(data) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, data)  # error: [unagreed-shape]
    return parts


def gather_objects(thing):
    file = io.BytesIO()
    pickle.Pickler(file).dump(thing)
    data = torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8).cuda()
    out = torch.empty(data.numel() * dist.get_world_size(), dtype=torch.uint8)
    dist.all_gather_into_tensor(out, data)  # error: [unagreed-shape]
    return out


def gather_padded(text, device):
    data = encode(text, device)
    data = F.pad(data, (0, 4096 - data.numel()))
    parts = [torch.zeros_like(data) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, data)
    return parts


def gather_sized(thing):
    data = torch.frombuffer(bytearray(pickle.dumps(thing)), dtype=torch.uint8)
    sizes = [torch.zeros(1, dtype=torch.long) for _ in range(dist.get_world_size())]
    dist.all_gather(sizes, torch.tensor([data.numel()]))
    parts = [torch.empty(int(size), dtype=torch.uint8) for size in sizes]
    dist.all_gather(parts, data)
    return parts


def gather_in_place(text, device):
    data = encode(text, device)
    buffer = torch.zeros(4096, dtype=torch.uint8)
    buffer[: data.numel()] = data
    parts = [torch.zeros_like(buffer) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, buffer)
    return parts


def tell_all(thing):
    data = torch.frombuffer(bytearray(pickle.dumps(thing)), dtype=torch.uint8)
    dist.broadcast(torch.tensor(data.numel()), src=0)
    dist.broadcast(data, src=0)


def sizes_of(data):
    sizes = [torch.zeros(1, dtype=torch.long) for _ in range(dist.get_world_size())]
    dist.all_gather(sizes, torch.tensor([data.numel()]))
    return sizes


def gather_sized_by_another(thing):
    data = torch.frombuffer(bytearray(pickle.dumps(thing)), dtype=torch.uint8)
    parts = [torch.empty(int(size), dtype=torch.uint8) for size in sizes_of(data)]
    dist.all_gather(parts, data)
    return parts


def gather_embeddings(model, texts):
    rows = torch.from_numpy(model.encode(texts)).cuda()
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, rows)
    return parts


def bytes_of(thing):
    raw = bytearray(pickle.dumps(thing))
    return torch.frombuffer(raw, dtype=torch.uint8).cuda()


def gather_by_helper(events):
    data = bytes_of({"rank": dist.get_rank(), "events": events})
    parts = [torch.empty_like(data) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, data)  # error: [unagreed-shape]
    return parts

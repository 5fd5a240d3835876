"""A receiver goes by what it was sent, message by message: it takes the turns that the sender takes."""
import torch
import torch.distributed as dist


def send_all(tensors):
    if dist.get_rank() == 0:
        sizes = [tensor.numel() for tensor in tensors]
        dist.broadcast_object_list([sizes], src=0)
        for tensor in tensors:
            if tensor.numel() == 0:
                continue
            dist.broadcast(tensor, src=0)
        return tensors
    box = [None]
    dist.broadcast_object_list(box, src=0)
    out = []
    for size in box[0]:
        if size == 0:
            continue
        tensor = torch.empty(size)
        dist.broadcast(tensor, src=0)
        out.append(tensor)
    return out


def message(data):
    if dist.get_rank() == 0:
        if data is None or len(data) == 0:
            dist.broadcast(torch.tensor([0]), src=0)
        else:
            dist.broadcast(torch.tensor([len(data)]), src=0)
            dist.broadcast(data, src=0)
        return data
    size = torch.tensor([0])
    dist.broadcast(size, src=0)
    if size.item() == 0:
        return None
    data = torch.empty(int(size.item()))
    dist.broadcast(data, src=0)
    return data


def two_messages(first, second):
    # The second message is another, though the same line receives it.
    return message(first), message(second)


def without_the_end(tensors):
    if dist.get_rank() == 0:
        dist.broadcast_object_list([len(tensors)], src=0)
        for tensor in tensors:
            dist.broadcast(tensor, src=0)
        return tensors
    box = [None]
    dist.broadcast_object_list(box, src=0)
    for _ in range(box[0]):
        dist.broadcast(torch.empty(4), src=0)
    dist.barrier()  # error: [divergent-early-exit]


def main():
    dist.init_process_group("gloo")
    send_all([])
    two_messages(None, None)
    without_the_end([])

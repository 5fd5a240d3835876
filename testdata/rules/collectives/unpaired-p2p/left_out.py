"""Both ends of an exchange go through the same sequence, and leave out different parts of it."""

import torch
import torch.distributed as dist


class Stage:
    def __init__(self, packed, previous, following):
        self.packed = packed
        self.previous, self.following = previous, following

    def send_grads(self, inputs):
        for tensor in inputs:
            if not tensor.is_floating_point():
                continue
            dist.send(tensor.grad, self.previous)

    def recv_grads(self, outputs):
        shapes = [out.shape for out in outputs if out.is_floating_point()]
        for shape in shapes:
            dist.recv(torch.empty(shape), self.following)

    def send_states(self, states):
        if self.packed:
            dist.send(states[0], self.following)
            dist.send(states[1], self.following)
        else:
            for state in states:
                if state.requires_grad:
                    dist.send(state, self.following)

    def recv_states(self, like):
        buffers = [torch.empty_like(one) for one in like if one.requires_grad]  # error: [unpaired-p2p]
        for buffer in buffers:
            dist.recv(buffer, self.previous)

    def send_all(self, tensors):
        for tensor in tensors:
            dist.send(tensor, self.following)

    def recv_all(self, shapes):
        for shape in shapes:
            dist.recv(torch.empty(shape), self.previous)

    def send_counted(self, tensors):
        kept = [tensor for tensor in tensors if tensor is not None]
        dist.send(torch.tensor(len(kept)), self.following)
        for tensor in kept:
            dist.send(tensor, self.following)

    def recv_counted(self, shape):
        count = torch.tensor(0)
        dist.recv(count, self.previous)
        for _ in range(count.item()):
            dist.recv(torch.empty(shape), self.previous)


def split(tensors, parts):
    out = []
    for tensor in tensors:
        if tensor.numel() % parts == 0:  # error: [unpaired-p2p]
            out.append(tensor.chunk(parts)[0])
    return out


def split_or_whole(tensors, parts):
    out = []
    for tensor in tensors:
        if tensor.numel() % parts == 0:
            out.append(tensor.chunk(parts)[0])
        else:
            out.append(tensor)
    return out


def empty_like(shapes):
    out = []
    for shape in shapes:
        out.append(torch.empty(shape))
    return out


def queue(tensors, operation, peer, operations):
    for tensor in tensors:
        operations.append(dist.P2POp(operation, tensor, peer))


def exchange(tensors, shapes, before, behind, parts):
    tensors = split(tensors, parts)
    received = empty_like(shapes)
    operations = []
    queue(tensors, dist.isend, behind, operations)
    queue(received, dist.irecv, before, operations)
    for work in dist.batch_isend_irecv(operations):
        work.wait()


def exchange_all(tensors, shapes, before, behind, parts):
    tensors = split_or_whole(tensors, parts)
    received = empty_like(shapes)
    operations = []
    queue(tensors, dist.isend, behind, operations)
    queue(received, dist.irecv, before, operations)
    for work in dist.batch_isend_irecv(operations):
        work.wait()


def send_to_others(tensor, world_size):
    for peer in range(world_size):
        if peer != dist.get_rank():
            dist.send(tensor, peer)


def recv_to_others(tensor, source):
    dist.recv(tensor, source)

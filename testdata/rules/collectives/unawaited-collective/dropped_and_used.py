"""Handles that nobody keeps, where the buffer is used all the same."""

import torch
import torch.distributed as dist


def averaged(tensors, size):
    buffer = tensors[0].new_zeros(1 << 20)

    def reduce_buffer(filled):
        dist.all_reduce(buffer[:filled], async_op=True)
        buffer.div_(size)  # error: [unawaited-collective]

    reduce_buffer(4)


def mean(total, size):
    dist.all_reduce(total, async_op=True)
    return total / size  # error: [unawaited-collective]


def started_and_left(total):
    dist.all_reduce(total, async_op=True)  # low: [unawaited-collective]


def waited_for_at_once(total, size):
    dist.all_reduce(total, async_op=True)
    torch.cuda.synchronize()
    return total / size


def another_part(total, size):
    dist.all_reduce(total[4:], async_op=True)  # low: [unawaited-collective]
    return total[:4].sum() / size


def kept_for_nothing(total, size):
    handle = dist.all_reduce(total, async_op=True)
    return total / size  # error: [unawaited-collective]


def kept_in_either_arm(total, rank):
    if rank == 0:
        handle = dist.isend(total, 1)  # low: [unawaited-collective]
    else:
        handle = dist.irecv(total, 0)
    return total * 2  # error: [unawaited-collective]


def kept_in_either_arm_and_waited_for(total, rank):
    if rank == 0:
        handle = dist.isend(total, 1)
    else:
        handle = dist.irecv(total, 0)
    handle.wait()
    return total * 2

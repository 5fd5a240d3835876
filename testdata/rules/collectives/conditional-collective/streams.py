"""What a stream of a device is told to do is no method of the program's own that is called so."""
import torch
import torch.distributed as dist


class Workers:
    def synchronize(self):
        dist.barrier()


def copied(tensor, stream):
    with torch.cuda.stream(stream):
        host = tensor.to("cpu", non_blocking=True)
    if dist.get_rank() == 0:
        stream.synchronize()
    return host


def gone_on(workers: Workers):
    if dist.get_rank() == 0:
        workers.synchronize()  # error: [conditional-collective]

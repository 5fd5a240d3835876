"""Questions for how large a parameter is, of whose gradient a statistic is pooled further on; and for how much there is of data."""
import torch
import torch.distributed as dist


def parts_of(model):
    return list(model.parameters()) + list(model.buffers())


def share(model, optimizer, num_gpus):
    for param in parts_of(model):
        if param.numel() > 0 and num_gpus > 1:
            dist.broadcast(param, src=0)
    optimizer.zero_grad()
    params = [param for param in model.parameters() if param.numel() > 0 and param.grad is not None]
    if len(params) > 0:
        flat = torch.cat([param.grad.flatten() for param in params])
        dist.all_reduce(flat)
        flat /= num_gpus
        grads = flat.split([param.numel() for param in params])
        for param, grad in zip(params, grads):
            param.grad = grad.reshape(param.shape)
    optimizer.step()


def share_data(found, total):
    if found.numel() > 0:
        dist.broadcast(total, src=0)  # error: [conditional-collective]
    worst = found.abs().max()
    dist.all_reduce(worst)


def share_own(local_param, total):
    if local_param.numel() > 0:
        dist.broadcast(total, src=0)  # error: [conditional-collective]
    worst = local_param.abs().max()
    dist.all_reduce(worst)

"""Questions about data of which only a statistic is pooled over ranks: each rank has its own of it."""

import torch
import torch.distributed as dist


def parameter_norm(parameters, group):
    sharded_parameters = []
    for parameter in parameters:
        if hasattr(parameter, "main_parameter"):
            sharded_parameters.append(parameter.main_parameter)
    total = torch.zeros(1)
    if len(sharded_parameters) > 0:
        norm, _ = apply_to_all(l2norm, [sharded_parameters], False)
        squared_norm = norm * norm
        dist.all_reduce(squared_norm, op=dist.ReduceOp.SUM, group=group)  # error: [conditional-collective]
        total += squared_norm
    return total


def parameter_norm_of_all(parameters, group):
    sharded_parameters = []
    for parameter in parameters:
        if hasattr(parameter, "main_parameter"):
            sharded_parameters.append(parameter.main_parameter)
    squared_norm = torch.zeros(1)
    if len(sharded_parameters) > 0:
        norm, _ = apply_to_all(l2norm, [sharded_parameters], False)
        squared_norm = norm * norm
    dist.all_reduce(squared_norm, op=dist.ReduceOp.SUM, group=group)
    return squared_norm


def whitened(values, mask, group):
    sums = torch.tensor([(values * mask).sum(), mask.sum()])
    dist.all_reduce(sums, group=group)
    return values - sums[0] / sums[1]


def advantages_where_there_are_any(values, mask, group):
    if mask.numel() > 0:
        values = whitened(values, mask, group)  # error: [conditional-collective]
    return values


def gathered_lengths(tokens, size):
    if tokens.size()[0] > 200:
        length = torch.tensor([[tokens.size()[0]]])
        lengths = [torch.empty_like(length) for _ in range(size)]
        dist.all_gather(lengths, length)  # error: [conditional-collective]


def loss_that_is_not_finite(loss):
    if torch.isnan(loss).any():
        dist.all_reduce(loss)  # error: [conditional-collective]


def as_it_is(gradients, group):
    # One buffer of all gradients: as many of the same shape on each rank, or the reduction fails by itself.
    if len(gradients) > 0:
        dist.all_reduce(torch.cat([gradient.view(-1) for gradient in gradients]), group=group)


def along_an_axis(mask):
    token_counts = mask.sum(dim=1)
    if token_counts.numel() > 0:
        dist.all_reduce(token_counts, op=dist.ReduceOp.MAX)
    return token_counts


def by_its_kind(tensor, group):
    total = tensor.sum()
    if tensor.dtype == torch.bfloat16:
        total = total.float()
        dist.all_reduce(total, group=group)
    elif tensor.dim() > 0 and tensor.size(1) > 4:
        dist.all_reduce(total, group=group)
    return total


def after_it_is_pooled(tokens):
    total = tokens.sum()
    dist.all_reduce(total)
    if total > 0:
        dist.barrier()


def where_there_are_several(tokens, world_size):
    total = torch.tensor([tokens.sum(), world_size])
    if world_size > 1:
        dist.all_reduce(total)
    return total


def norm_of_a_kind(total_norm, norm_type):
    if torch.isinf(norm_type):
        dist.all_reduce(total_norm, op=dist.ReduceOp.MAX)
    else:
        total_norm **= norm_type
        dist.all_reduce(total_norm, op=dist.ReduceOp.SUM)
    return total_norm ** (1.0 / norm_type)


def training_step(batch, size):
    tokens = batch["tokens"]
    if tokens.size(0) > 200:
        length = torch.tensor([tokens.size(0)])
        lengths = [torch.empty_like(length) for _ in range(size)]
        dist.all_gather(lengths, length)  # error: [conditional-collective]


def in_a_tensor_parallel_group(tokens, mpu):
    if tokens.numel() > 0:
        total = tokens.sum()
        dist.all_reduce(total, group=mpu.get_tensor_model_parallel_group())  # low: [conditional-collective]

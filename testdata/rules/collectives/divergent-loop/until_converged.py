"""A loop that ends when this rank is content (P06)."""
import torch
import torch.distributed as dist


def relax(field, local_error, tolerance):
    error = local_error(field[dist.get_rank()])
    while error > tolerance:
        dist.all_reduce(field)  # error: [divergent-loop]
        error = local_error(field[dist.get_rank()])


def relax_in_step(field, local_error, tolerance):
    while True:
        error = local_error(field[dist.get_rank()])
        dist.all_reduce(error, op=dist.ReduceOp.MAX)
        if error.item() <= tolerance:
            break
        dist.all_reduce(field)


def generate(model, prompts, eos):
    tokens = prompts[dist.get_rank()]
    while tokens[-1] != eos:
        logits = model(tokens)
        dist.all_reduce(logits)  # error: [divergent-loop]
        tokens.append(int(logits.argmax()))


def generate_in_step(model, prompts, limit):
    tokens = prompts[dist.get_rank()]
    for _ in range(limit):
        logits = model(tokens)
        dist.all_reduce(logits)
        tokens.append(int(logits.argmax()))

"""How many rounds the tokens of a batch need."""
import torch
import torch.distributed as dist


def rounds_of(batch, budget):
    tokens = int(batch["attention_mask"].sum().item())
    return -(-tokens // budget)


def agreed_rounds_of(batch, budget):
    rounds = torch.tensor([rounds_of(batch, budget)])
    dist.all_reduce(rounds, op=dist.ReduceOp.MAX)
    return int(rounds.item())

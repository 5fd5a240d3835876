"""A tensor that is spread over ranks is gathered whole in an operation of its own, whose place in the order is its element's."""
import torch.distributed as dist


def gathered(state, names: list[str]):
    whole = {}
    for name in set(names):  # error: [unordered-iteration]
        whole[name] = state[name].full_tensor()
    return whole


def spread_anew(state, names: list[str], placements):
    for name in set(names):  # error: [unordered-iteration]
        state[name] = state[name].redistribute(placements=placements)


def in_order(state, names: list[str]):
    return {name: state[name].full_tensor() for name in sorted(set(names))}


def asked_alone(state, names: list[str]):
    dist.barrier()
    return [state[name].to_local() for name in set(names)]

"""A switch that says whether ranks go on together is the same in every turn (P06)."""
import torch
import torch.distributed as dist


def generate(model, tokens, synced=False):
    done = False
    while True:
        if synced:
            going = torch.tensor(0.0 if done else 1.0)
            dist.all_reduce(going)
            if going.item() == 0.0:
                break
        drawn = torch.multinomial(model(tokens), num_samples=1)
        if synced and done:
            continue
        tokens = torch.cat([tokens, drawn])
        if drawn.max() == 0:
            done = True
        if done and not synced:
            break
    return tokens


def generate_alone(model, tokens, synced=False):
    done = False
    while True:
        if synced:
            dist.all_reduce(tokens)  # low: [divergent-early-exit]
        drawn = torch.multinomial(model(tokens), num_samples=1)
        if drawn.max() == 0:
            done = True
        if done:
            break


def another_switch_each_turn(model, tokens, switches):
    for switch in switches:
        if switch:
            dist.all_reduce(tokens)  # low: [divergent-early-exit]
        if torch.multinomial(model(tokens), num_samples=1).max() == 0 and not switch:
            break

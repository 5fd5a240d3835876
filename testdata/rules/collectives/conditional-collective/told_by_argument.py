"""Engines whose making nobody sees: what they are handed tells them."""

import torch.distributed as dist


def save(args, model, state, epoch):
    if dist.get_rank() == 0:
        model.save_checkpoint(args.output, tag=f"epoch-{epoch}", client_state=state)  # error: [conditional-collective]


def load(args, model):
    if dist.get_rank() == 0:
        model.load_checkpoint(args.output, load_optimizer_states=False)  # error: [conditional-collective]


def save_in_step(args, model, state, epoch):
    model.save_checkpoint(args.output, tag=f"epoch-{epoch}", client_state=state)
    if dist.get_rank() == 0:
        print("saved", epoch)


def save_of_another_make(args, keeper, epoch):
    if dist.get_rank() == 0:
        keeper.save_checkpoint(args.output, epoch)

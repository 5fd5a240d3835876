"""A script that cannot make its model: its class asks for more, and every rank fails there alike."""

import torch.distributed as dist


class Model:
    def __init__(self, config, layers=2):
        self.config = config
        self.layers = layers


def provide():
    model = Model(layers=4)
    return model


def main(build):
    model = build(provide)
    if dist.get_rank() == 0:
        prompt = input("prompt: ")
    dist.barrier()
    print(model, prompt)

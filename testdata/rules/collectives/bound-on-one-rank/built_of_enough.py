"""The same script, whose model is made of what its class asks for."""

import torch.distributed as dist


class Model:
    def __init__(self, config, layers=2):
        self.config = config
        self.layers = layers


def provide(config=None):
    model = Model(config, layers=4)
    return model


def main(build):
    model = build(provide)
    if dist.get_rank() == 0:
        prompt = input("prompt: ")
    dist.barrier()
    print(model, prompt)  # error: [bound-on-one-rank]

"""An engine that an object is given and keeps: who makes the object knows what it is."""
import deepspeed
import torch.distributed as dist


class Loop:
    def __init__(self, model):
        self.model = model

    def checkpoint(self):
        if dist.get_rank() == 0:
            self.model.save_checkpoint("out")

    def checkpoint_together(self):
        self.model.save_checkpoint("out")
        if dist.get_rank() == 0:
            print("saved")


def main(args, net):
    engine, _, _, _ = deepspeed.initialize(args=args, model=net)
    loop = Loop(engine)
    loop.checkpoint()  # error: [conditional-collective]
    loop.checkpoint_together()

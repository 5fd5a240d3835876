"""What a class calls on itself may be what a class below it has instead."""

import torch.distributed as dist


class Maker:
    def make(self, prompts):
        if self.strategy.ring_attn_rank == 0:
            samples = self.generate(prompts)  # error: [wrong-group]
            dist.broadcast_object_list(samples, src=dist.get_rank(), group=self.strategy.ring_attn_group)
        else:
            samples = [None] * 8
            dist.broadcast_object_list(samples, src=self.strategy.first, group=self.strategy.ring_attn_group)
        return samples

    def generate(self, prompts):
        return [prompt.upper() for prompt in prompts]


class RemoteMaker(Maker):
    def make(self, prompts):
        return super().make(prompts)

    def generate(self, prompts):
        samples = super().generate(prompts)
        dist.barrier()
        return samples


class Saver:
    """Only objects of the class below wait, and that one saves in a way of its own."""

    def run(self):
        if dist.get_rank() == 0:
            self.save()

    def save(self):
        return None


class WaitingSaver(Saver):
    def run(self):
        self.save()

    def save(self):
        dist.barrier()


class Known:
    """Of this one it is known what it is."""

    def run(self):
        if dist.get_rank() == 0:
            plain = Plain()
            plain.close()


class Plain:
    def close(self):
        return None


class Waits(Plain):
    def close(self):
        dist.barrier()

"""A loop that calls a hook, which may run the loop again: who calls it is not sure of what it does, the loop itself is."""
import time

import torch.distributed as dist


def wait():
    if dist.is_initialized():
        dist.barrier()


def on_the_first(function):
    if dist.get_rank() == 0:
        function()
        wait()
    else:
        wait()


class Brain:
    def fit(self, epochs, batches, held_out=None, progress=None):
        for epoch in epochs:
            enable = progress and dist.get_rank() == 0
            with show(batches, initial=self.step, disable=not enable) as shown:
                for batch in shown:
                    if self.checkpointer is not None and self.minutes > 0 and time.time() - self.last >= self.minutes * 60.0:
                        on_the_first(self.save)  # error: [conditional-collective]
            if held_out is not None:
                self.on_start("validate", epoch)
                for batch in show(held_out, disable=not enable):
                    self.step += 1
                    if self.debug and self.step == self.debug_batches:
                        break

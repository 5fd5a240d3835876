"""A clock that is voted on before it ends the trainer's loop."""
import time

import torch
import torch.distributed as dist


class TimeLimit:
    def __init__(self, seconds):
        self.deadline = time.monotonic() + seconds

    def on_step_end(self, trainer):
        flag = [trainer.is_global_zero and time.monotonic() > self.deadline]
        dist.broadcast_object_list(flag, src=0)
        if flag[0]:
            trainer.should_stop = True

    def on_epoch_end(self, trainer):
        late = torch.tensor(time.monotonic() > self.deadline)
        dist.all_reduce(late, op=dist.ReduceOp.MAX)
        if late.item() > 0:
            trainer.should_stop = True

    def on_batch_end(self, trainer):
        late = time.monotonic() > self.deadline
        if late:
            trainer.should_stop = True  # error: [divergent-early-exit]

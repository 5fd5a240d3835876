"""Properties that communicate, read of objects of which nothing is said: one class has one of that name, or several do."""
import torch.distributed as dist


class Meter:
    def __init__(self):
        self.count = 0

    @property
    def agreed_total(self):
        total = [None] * dist.get_world_size()
        dist.all_gather_object(total, self.count)
        return sum(total)

    @property
    def gathered_count(self):
        dist.barrier()
        return self.count

    @property
    def quiet_count(self):
        return self.count


class Timer:
    def __init__(self):
        self.gathered_count = 0


def report(meter):
    if dist.get_rank() == 0:
        print(meter.agreed_total)  # error: [conditional-collective]


def report_quietly(meter):
    if dist.get_rank() == 0:
        print(meter.quiet_count)


def report_either(timer):
    if dist.get_rank() == 0:
        print(timer.gathered_count)


def report_of_all(meter):
    total = meter.agreed_total
    if dist.get_rank() == 0:
        print(total)

"""A method that happens to be the only one of its name is not meant by a call that it could not take."""

import torch.distributed as dist


class Table:
    def attach(self, row_start, label):
        dist.barrier()
        return row_start, label

    def connect(self):
        dist.barrier()


def open_link(context, address):
    if dist.get_rank() == 0:
        link = context.endpoint()
        link.attach(address)
        link.attach(address, timeout=3)
        link.connect()
        link.attach(address, "left", "right")


def open_table(tables):
    if dist.get_rank() == 0:
        tables.first.attach(0, label="rows")  # error: [conditional-collective]

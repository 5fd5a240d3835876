"""Functions that are handed over by keyword, or that a table holds."""
import torch.distributed as dist


def in_step():
    dist.barrier()


def alone():
    print("saved")


def run(step):
    step()


def by_keyword():
    if dist.get_rank() == 0:
        run(step=in_step)  # error: [conditional-collective]


def by_keyword_alone():
    if dist.get_rank() == 0:
        run(step=alone)


def by_table():
    commands = {"sync": in_step, "save": alone}
    if dist.get_rank() == 0:
        commands["sync"]()  # error: [conditional-collective]


def by_table_alone():
    commands = {"sync": in_step, "save": alone}
    if dist.get_rank() == 0:
        commands["save"]()

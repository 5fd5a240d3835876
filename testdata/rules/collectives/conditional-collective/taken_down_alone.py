"""A group that the first rank takes down by itself, and its look-alikes (P01)."""
import os

import torch.distributed as dist

RANK = int(os.getenv("RANK", -1))
WORLD_SIZE = int(os.getenv("WORLD_SIZE", 1))


def main(train):
    train()
    if WORLD_SIZE > 1 and RANK == 0:
        print("Destroying process group... ", end="")
        dist.destroy_process_group()  # error: [conditional-collective]


def among_others(train, rank):
    train()
    if rank == 0:
        dist.destroy_process_group()  # error: [conditional-collective]
        print("done")


def everybody(train):
    train()
    if WORLD_SIZE > 1:
        dist.destroy_process_group()


def each_in_its_way(train):
    train()
    if RANK == 0:
        print("done")
        dist.destroy_process_group()
    else:
        dist.destroy_process_group()


def said_once_and_done_by_all(train, rank):
    train()
    if rank == 0:
        print("Destroying process group... ")
    dist.destroy_process_group()


def of_some(train, rank):
    group = dist.new_group([0])
    train()
    if rank == 0:
        dist.destroy_process_group(group)


def goes_on_alone(train, test, rank):
    train()
    if rank == 0:
        if dist.is_initialized():
            dist.destroy_process_group()
        tester = test(devices=1)
        tester.run()

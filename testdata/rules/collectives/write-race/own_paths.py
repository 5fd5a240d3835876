"""What each rank has of its own goes to a path of its own, or to no file."""
import io
import os

import torch
import torch.distributed as dist


def each_of_its_own(model, folder):
    dist.all_reduce(model.loss)
    torch.save(model.shard, f"{folder}/{dist.get_rank()}.pt")


def of_its_own_by_a_variable(model, folder):
    dist.all_reduce(model.loss)
    rank = dist.get_rank()
    path = os.path.join(folder, f"part-{rank}")
    torch.save(model.shard, path)


def in_memory(model):
    dist.all_reduce(model.loss)
    held = io.BytesIO()
    torch.save(model.state_dict(), held)
    return held


def opened_by_somebody(model, path):
    dist.all_reduce(model.loss)
    with open(path, "rb+") as file:
        torch.save(model.state_dict(), file)


def of_each_element(model, names, folder):
    for name in names:
        latents = model(name)
        torch.save(latents, f"{folder}/{name}.pt")
    dist.barrier()


def by_the_device_of_a_process(model, folder, xm):
    dist.all_reduce(model.loss)
    torch.save(model.shard, f"{folder}/{xm.get_ordinal()}.pt")


def by_the_number_of_a_process(model, folder, accelerator):
    dist.all_reduce(model.loss)
    torch.save(model.shard, f"{folder}/{accelerator.process_index}.pt")


def of_the_items_of_a_sampler(model, data, sampler, folder):
    dist.all_reduce(model.loss)
    sampler_indices = list(sampler)
    for index in range(len(sampler_indices)):
        name = data.names[sampler_indices[index]]
        torch.save(model.shard, f"{folder}/{name}.pt")


def one_behind_the_other(model, frame, folder):
    dist.all_reduce(model.loss)
    frame.to_csv(f"{folder}/log.csv", mode="a")


def from_the_beginning(model, frame, folder):
    dist.all_reduce(model.loss)
    frame.to_csv(f"{folder}/log.csv", mode="w")  # error: [write-race]

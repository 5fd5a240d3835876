"""Every rank writes a part with its number in the name, and one rank reads all of them."""
import glob
import json
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from accelerate import Accelerator


def scored(model, rows, out):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    with open(os.path.join(out, f"scores_{rank}.json"), "w") as f:
        for row in rows[rank::world_size]:
            f.write(json.dumps(model(row)) + "\n")
    if rank == 0:
        scores = []
        for i in range(world_size):
            with open(os.path.join(out, f"scores_{i}.json")) as f:  # error: [unawaited-file]
                scores.extend(json.loads(line) for line in f)
        return scores


def scored_in_step(model, rows, out):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    with open(os.path.join(out, f"scores_{rank}.json"), "w") as f:
        for row in rows[rank::world_size]:
            f.write(json.dumps(model(row)) + "\n")
    dist.barrier()
    if rank == 0:
        scores = []
        for i in range(world_size):
            with open(os.path.join(out, f"scores_{i}.json")) as f:
                scores.extend(json.loads(line) for line in f)
        return scores


def embedded(vectors, folder):
    path = f"{folder}/part_{dist.get_rank():03d}.pt"
    torch.save(vectors, path)
    if dist.get_rank() == 0:
        return torch.cat([torch.load(f"{folder}/part_{i:03d}.pt") for i in range(dist.get_world_size())])  # error: [unawaited-file]


def found_by_pattern(vectors, folder):
    accelerator = Accelerator()
    torch.save(vectors, os.path.join(folder, "part_" + str(accelerator.process_index) + ".pt"))
    if accelerator.is_main_process:
        return [torch.load(path) for path in glob.glob(os.path.join(folder, "part_*.pt"))]  # error: [unawaited-file]


def found_by_pattern_in_step(vectors, folder):
    accelerator = Accelerator()
    torch.save(vectors, os.path.join(folder, "part_" + str(accelerator.process_index) + ".pt"))
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        return [torch.load(path) for path in glob.glob(os.path.join(folder, "part_*.pt"))]


def answered(model, rows, part):
    with open(part, "w") as f:
        for row in rows:
            f.write(model(row))


def merged(folder, name, world):
    if dist.get_rank() != 0:
        return None
    rows = []
    for k in range(world):
        part = folder / f"{name}-{k}.jsonl"
        with open(part) as f:
            rows.extend(f)
    return rows


def asked(model, rows, folder, name):
    rank, world = dist.get_rank(), dist.get_world_size()
    folder = Path(folder)
    part = folder / f"{name}-{rank}.jsonl"
    answered(model, rows[rank::world], part)
    rows = merged(folder, name, world)  # error: [unawaited-file]
    dist.barrier()
    return rows


def asked_in_step(model, rows, folder, name):
    rank, world = dist.get_rank(), dist.get_world_size()
    folder = Path(folder)
    part = folder / f"{name}-{rank}.jsonl"
    answered(model, rows[rank::world], part)
    dist.barrier()
    return merged(folder, name, world)


def of_another_name(vectors, folder):
    torch.save(vectors, f"{folder}/part_{dist.get_rank()}.pt")
    if dist.get_rank() == 0:
        return [torch.load(f"{folder}/shard_{i}.pt") for i in range(4)]


def in_another_folder(vectors, folder, earlier):
    torch.save(vectors, f"{folder}/part_{dist.get_rank()}.pt")
    if dist.get_rank() == 0:
        return [torch.load(f"{earlier}/part_{i}.pt") for i in range(4)]


def of_its_own(vectors, folder):
    torch.save(vectors, f"{folder}/part_{dist.get_rank()}.pt")
    if dist.get_rank() == 0:
        return torch.load(f"{folder}/part_{dist.get_rank()}.pt")


def looks_for_them(vectors, folder):
    torch.save(vectors, os.path.join(folder, f"part_{dist.get_rank()}.pt"))
    if dist.get_rank() == 0:
        while len(glob.glob(os.path.join(folder, "part_*.pt"))) < dist.get_world_size():
            time.sleep(1)
        return [torch.load(os.path.join(folder, f"part_{i}.pt")) for i in range(dist.get_world_size())]


def where_it_is_there(vectors, folder):
    torch.save(vectors, os.path.join(folder, f"part_{dist.get_rank()}.pt"))
    if dist.get_rank() == 0:
        for i in range(dist.get_world_size()):
            if os.path.exists(os.path.join(folder, f"part_{i}.pt")):
                print(torch.load(os.path.join(folder, f"part_{i}.pt")))


def written(part, vectors):
    torch.save(vectors, part)


def found(pattern):
    return [torch.load(path) for path in glob.glob(pattern)]


def handed_over(vectors, folder):
    written(os.path.join(folder, f"part_{dist.get_rank()}.pt"), vectors)
    if dist.get_rank() == 0:
        return found(os.path.join(folder, "part_*.pt"))  # error: [unawaited-file]


def handed_over_another(vectors, folder):
    written(os.path.join(folder, f"part_{dist.get_rank()}.pt"), vectors)
    if dist.get_rank() == 0:
        return found(os.path.join(folder, "*.json"))


def written_by_all(part, vectors):
    torch.save(vectors, part)
    dist.barrier()


def waited_for_below(vectors, folder):
    written_by_all(f"{folder}/part_{dist.get_rank()}.pt", vectors)
    if dist.get_rank() == 0:
        return [torch.load(f"{folder}/part_{i}.pt") for i in range(4)]


def one_or_the_other(vectors, folder, again):
    if again:
        torch.save(vectors, f"{folder}/part_{dist.get_rank()}.pt")
    elif dist.get_rank() == 0:
        return [torch.load(f"{folder}/part_{i}.pt") for i in range(4)]

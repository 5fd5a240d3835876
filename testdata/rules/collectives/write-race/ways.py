"""Who comes to the place: all ranks, one of them, or one process without any others."""
import json

import numpy
import pandas
import torch
import torch.distributed as dist


def evaluated(args, model, loader):
    if args.distributed:
        scores = model.score(loader)
        dist.all_reduce(scores)
        return scores
    scores = model.score(loader)
    torch.save(scores, "scores.pt")
    return scores


def evaluated_by_all(args, model, loader):
    scores = model.score(loader)
    dist.all_reduce(scores)
    with open(args.path, "w") as file:  # low: [write-race]
        json.dump(scores.tolist(), file)
    return scores


def appended_to(path, scores):
    dist.all_reduce(scores)
    with open(path, "a") as file:
        file.write("done")


def read_only(path, scores):
    dist.all_reduce(scores)
    with open(path) as file:
        return json.load(file)


def tables(scores, path):
    dist.all_reduce(scores)
    pandas.DataFrame(scores).to_csv(path)  # error: [write-race]
    numpy.save(path, scores)


def marked(folder, rank, scores):
    """A mark holds the same whoever makes it."""
    dist.all_reduce(scores)
    if rank == 0:
        print("saved")
        torch.save(scores, folder / "scores.pt")
    with open(folder / "done", "w") as file:
        file.write("1")
    open(folder / "begun", "w").close()
    (folder / "command").write_text("0")
    with open(folder / "count", "w") as file:  # error: [write-race]
        file.write("count ")
        file.write(str(scores))


def marked_by_one(folder, rank, scores):
    """Who opens it last leaves it empty."""
    dist.all_reduce(scores)
    with open(folder / "header", "w") as file:  # error: [write-race]
        if rank == 0:
            file.write("name, score")


def by_the_first(scores, path, rank):
    dist.all_reduce(scores)
    if rank != 0:
        return
    numpy.save(path, scores)


def by_whoever_runs_it(model, path):
    """Nothing says that there are several ranks."""
    if dist.get_rank() == 0:
        print("saving")
    torch.save(model.state_dict(), path)


def tried(model, path):
    dist.all_reduce(model.loss)
    try:
        torch.save(model.state_dict(), path)
    except OSError:
        print("full")

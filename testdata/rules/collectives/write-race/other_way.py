"""What is written on a way that no other rank is on, and what is written on the way of all."""
import torch
import torch.distributed as dist
from lightning import Trainer
from torch.nn.parallel import DistributedDataParallel as DDP


def run(args, model):
    if args.export:
        torch.save(model.state_dict(), args.output)
        return
    model = DDP(model)
    model(args.data).sum().backward()


def run_and_keep(args, model):
    if args.export:
        torch.save(model.state_dict(), args.output)  # error: [write-race]
    model = DDP(model)
    model(args.data).sum().backward()


def by_mode(args, model, data):
    trainer = Trainer()
    match args.mode:
        case "train":
            trainer.fit(model, data)
        case "test":
            torch.save(model.predictions, args.output)


def by_mode_and_fit(args, model, data):
    trainer = Trainer()
    match args.mode:
        case "test":
            torch.save(model.predictions, args.output)  # low: [write-race]
    trainer.fit(model, data)


def main(args, model):
    run(args, model)


def main_and_keep(args, model):
    run_and_keep(args, model)

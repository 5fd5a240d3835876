"""Variables that the first rank alone has."""
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter


def saves_what_one_has(model, path):
    if dist.get_rank() == 0:
        state = model.state_dict()
    path.write(state)  # error: [bound-on-one-rank]


def saves_in_one_of_two_modes(model, path, prepared):
    if prepared:
        dist.barrier()
        if dist.get_rank() == 0:
            if model.half:
                state = {name: value.half() for name, value in model.items()}
            else:
                state = dict(model.items())
    else:
        state = model.state_dict()
    path.write(state)  # error: [bound-on-one-rank]


def writes_to_none(losses):
    rank = dist.get_rank()
    writer = None
    if rank == 0:
        writer = SummaryWriter()
    for step, loss in enumerate(losses):
        dist.all_reduce(loss)
        writer.add_scalar("loss", loss, step)  # error: [bound-on-one-rank]


def imports_on_one(losses):
    if dist.get_rank() == 0:
        import wandb
    for loss in losses:
        dist.all_reduce(loss)
        wandb.log({"loss": loss})  # error: [bound-on-one-rank]


def downloads(job, name, folder):
    if "remote" in job:
        if dist.get_rank() == 0:
            job["fetched"] = True
            place = folder / name
        dist.barrier()
        return place.exists()  # error: [bound-on-one-rank]


def saves_the_last_ones(model, epochs, save_last):
    for epoch in range(epochs):
        model.train(epoch)
        if epoch >= epochs - save_last:
            if dist.get_rank() == 0:
                state = model.state_dict()
            model.write(state)  # error: [bound-on-one-rank]

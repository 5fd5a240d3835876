"""A class that joins the job is made on every rank."""
import torch
import torch.distributed as dist


class Runner:
    def __init__(self, model, distributed):
        self.model = model
        if distributed:
            dist.init_process_group("nccl")

    def learn(self, steps, folder):
        for step in range(steps):
            self.save(f"{folder}/model_{step}.pt")

    def save(self, path):
        torch.save(self.model.state_dict(), path)  # error: [write-race]

    def evaluate(self, path):
        torch.save(self.model.state_dict(), f"{path}/average.pt")


class Single:
    def __init__(self, model):
        self.model = model

    def save(self, path):
        torch.save(self.model.state_dict(), path)


def train(model, path):
    dist.init_process_group("nccl")
    torch.save(model.state_dict(), path)  # error: [write-race]


def train_on_device(model, name, local_device):
    dist.init_process_group("nccl")
    model = model.to(local_device)
    name = f"{name}-{model.size()}"
    torch.save(model.state_dict(), name)  # error: [write-race]


def train_apart(model, local_device):
    dist.init_process_group("nccl")
    torch.save(model.state_dict(), f"model-{local_device}.pt")


dist.init_process_group("nccl")
torch.save(torch.zeros(4), "zeros.pt")

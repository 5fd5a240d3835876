import torch


def save(x, name):
    torch.save(x, "/tmp/state.pt")
    torch.save(x, "/tmp/runs/deep.pt")
    torch.save(x, "/tmp/" + name)
    torch.save(x, "/tmp/shared.pt")
    return torch.load("/tmp/shared.pt")

"""Rank 0 alone has the state that all ranks load."""
import torch
import torch.distributed as dist


def start(model):
    if dist.get_rank() == 0:
        state = model.state_dict()
    model.load_state_dict(state)
    for weight in model.parameters():
        dist.broadcast(weight.data, src=0)


def main():
    dist.init_process_group("gloo")
    start(torch.nn.Linear(2, 2))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

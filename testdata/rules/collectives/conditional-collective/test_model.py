"""A program that measures a trained model: by its name it might hold tests, and it holds none."""
import torch.distributed as dist


def main(metric):
    dist.init_process_group("nccl")
    if dist.get_rank() == 0:
        dist.all_reduce(metric)  # error: [conditional-collective]


if __name__ == "__main__":
    main(None)

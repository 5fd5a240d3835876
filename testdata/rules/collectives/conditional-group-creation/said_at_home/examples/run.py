"""A script beside the library inherits what the library does."""
import torch.distributed as dist

from toolkit.pipeline import gather, made_by


def main(latents):
    return gather(latents)


def chosen():
    return made_by(dist.get_rank() == 0)  # error: [conditional-group-creation]


if __name__ == "__main__":
    main([1])
    chosen()

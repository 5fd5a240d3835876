"""A script beside the library inherits what the library does."""
from toolkit.pipeline import gather


def main(latents):
    return gather(latents)


if __name__ == "__main__":
    main([1])

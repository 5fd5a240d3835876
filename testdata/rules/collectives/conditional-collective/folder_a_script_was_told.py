"""Whether a folder lies where a script was told is the same for all, though what finds it goes on with other things in hand."""
import argparse
import os

import torch
import torch.distributed as dist


def features_of(names, model, args):
    features = model(torch.zeros(len(names), args.size))
    gathered = [torch.empty_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, features)
    return torch.cat(gathered)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--whitening-path", default="whitening")
    parser.add_argument("--size", type=int, default=2)
    args = parser.parse_args()
    dist.init_process_group("nccl")
    model = torch.nn.Linear(args.size, args.size)
    print(features_of(["query"], model, args))
    if os.path.isdir(args.whitening_path):
        names = [os.path.join(args.whitening_path, name) for name in os.listdir(args.whitening_path)]
        print(features_of(names, model, args))  # low: [conditional-collective]
    dist.barrier()

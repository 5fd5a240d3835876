"""Sharded model checkpointing for tensor/pipeline parallel jobs."""
import json
import os

import torch
from megatron.core import mpu


def shard_path(root, iteration):
    tp = mpu.get_tensor_model_parallel_rank()
    pp = mpu.get_pipeline_model_parallel_rank()
    return os.path.join(root, f"iter_{iteration:07d}", f"mp_rank_{tp:02d}_{pp:03d}", "model.pt")


def save_weights(args, iteration, model):
    path = shard_path(args.save, iteration)
    if mpu.get_data_parallel_rank() == 0:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        torch.save({"model": model.state_dict(), "iteration": iteration}, path)
        torch.distributed.barrier()  # BUG 1


def save_optimizer(args, iteration, optimizer):
    path = shard_path(args.save, iteration).replace("model.pt", "optim.pt")
    if mpu.get_data_parallel_rank() == 0:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        torch.save(optimizer.state_dict(), path)
    torch.distributed.barrier()
    if torch.distributed.get_rank() == 0:
        with open(os.path.join(args.save, "latest_checkpointed_iteration.txt"), "w") as f:
            f.write(str(iteration))


def parameter_count(model):
    local = sum(p.numel() for p in model.parameters())
    if mpu.get_data_parallel_rank() != 0:
        return None
    count = torch.tensor([local], dtype=torch.long, device="cuda")
    torch.distributed.all_reduce(count, group=mpu.get_model_parallel_group())
    return count.item()


def write_shard_index(args, iteration, model):
    if mpu.get_data_parallel_rank() == 0:
        entry = {"path": shard_path(args.save, iteration), "keys": list(model.state_dict())}
        table = [None] * torch.distributed.get_world_size()
        torch.distributed.all_gather_object(table, entry)  # BUG 2
        if torch.distributed.get_rank() == 0:
            with open(os.path.join(args.save, f"index_{iteration}.json"), "w") as f:
                json.dump(table, f)

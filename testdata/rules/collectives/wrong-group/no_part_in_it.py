"""Who has no part in what is built comes to each barrier of those who have."""
import torch.distributed as dist
from megatron.core import mpu


def build(splits, make):
    if not mpu.is_pipeline_first_stage():
        for split in splits:
            if split is not None:
                dist.barrier()  # low: [wrong-group]
        return [None] * len(splits)

    built = []
    for split in splits:
        if split is None:
            built.append(None)
        else:
            built.append(build_in_step(split, make))
    return built


def build_in_step(split, make):
    if dist.get_rank() == 0:
        make(split)
    dist.barrier()
    return make(split)


def build_with_peers_elsewhere(splits, make):
    if not mpu.is_pipeline_first_stage():
        for split in splits:
            dist.barrier()  # error: [wrong-group]
        return [None] * len(splits)
    return [make(split) for split in splits]

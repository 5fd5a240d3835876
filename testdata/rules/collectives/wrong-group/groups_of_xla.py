"""torch_xla is handed the groups themselves: what the ranks of one stage reduce among themselves concerns no other."""
import torch_xla.core.xla_model as xm
from megatron.core import parallel_state as mpu


def received(tensor, groups):
    if not mpu.is_pipeline_first_stage():
        tensor = xm.all_reduce(xm.REDUCE_SUM, tensor, groups=groups)
    return tensor


def received_by_position(tensor, groups):
    if not mpu.is_pipeline_first_stage():
        tensor = xm.all_gather(tensor, 0, groups)
    return tensor


def received_in_the_job(tensor):
    if not mpu.is_pipeline_first_stage():
        tensor = xm.all_reduce(xm.REDUCE_SUM, tensor)  # error: [wrong-group]
    return tensor

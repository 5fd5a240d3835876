"""DeepSpeed: saving through the engine gathers ZeRO shards (P45b), and its own comm module."""
import deepspeed
from deepspeed import comm as ds_dist


def overflow_check(flag):
    if ds_dist.get_rank() == 0:
        ds_dist.all_reduce(flag, op=ds_dist.ReduceOp.MAX)  # error: [conditional-collective]
    return flag.item()


def overflow_check_in_step(flag):
    ds_dist.all_reduce(flag, op=ds_dist.ReduceOp.MAX)
    if ds_dist.get_rank() == 0:
        print("overflow", flag.item())
    return flag.item()


def shard(param):
    if ds_dist.get_rank() == 0:
        with deepspeed.zero.GatheredParameters([param]):  # error: [conditional-collective]
            print(param.shape)


def shard_in_step(param):
    with deepspeed.zero.GatheredParameters([param]):
        if ds_dist.get_rank() == 0:
            print(param.shape)

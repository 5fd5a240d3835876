"""Arguments that are spread from a mapping: which group it names is known by what was put into it, through copies and
entries that others replace; what nobody knows is no sign that the group is left out."""
import copy

import torch.distributed as dist
from megatron.core import mpu


def read(path, counts, parallel_group=None):
    dist.all_reduce(counts, group=parallel_group)
    return path


def as_it_is(args, counts):
    given = {"path": args.path, "counts": counts, "parallel_group": mpu.get_data_parallel_group()}
    if mpu.get_tensor_model_parallel_rank() == 0:
        read(**given)


def with_another_path(args, counts):
    given = {"path": args.path, "counts": counts, "parallel_group": mpu.get_data_parallel_group()}
    given["path"] = args.other
    if args.more:
        given["path"] = args.more
    if mpu.get_tensor_model_parallel_rank() == 0:
        read(**given)


def of_a_copy(args, counts):
    given = {"path": args.path, "counts": counts, "parallel_group": mpu.get_data_parallel_group()}
    others = copy.copy(given)
    others["path"] = args.other
    if mpu.get_tensor_model_parallel_rank() == 0:
        read(**others)


def of_a_copy_without_a_group(args, counts):
    given = {"path": args.path, "counts": counts}
    others = given.copy()
    others["path"] = args.other
    if mpu.get_tensor_model_parallel_rank() == 0:
        read(**others)  # error: [wrong-group]


def with_the_group_set_last(args, counts):
    given = {"path": args.path, "counts": counts}
    given["parallel_group"] = mpu.get_data_parallel_group()
    if mpu.get_tensor_model_parallel_rank() == 0:
        read(**given)


def of_one_of_two(args, counts):
    given = {"path": args.path, "counts": counts, "parallel_group": mpu.get_data_parallel_group()}
    others = {"path": args.other, "counts": counts, "parallel_group": mpu.get_data_parallel_group()}
    if mpu.get_tensor_model_parallel_rank() == 0:
        read(**(others if args.more else given))


def of_nobody_knows_what(settings):
    if mpu.get_tensor_model_parallel_rank() == 0:
        read(**settings)


def count(counts, everywhere=True):
    if everywhere:
        dist.all_reduce(counts)


def by_default(args, counts):
    given = {}
    if args.more:
        given["counts"] = counts
    else:
        given["counts"] = args.counts
    if mpu.get_tensor_model_parallel_rank() == 0:
        count(**given)  # error: [wrong-group]


def not_everywhere(args, counts):
    given = {"counts": counts}
    given["everywhere"] = False
    if mpu.get_tensor_model_parallel_rank() == 0:
        count(**given)


def handed_on(counts, **keywords):
    dist.all_reduce(counts, **keywords)


def handed_on_without_a_group(counts):
    if mpu.get_tensor_model_parallel_rank() == 0:
        handed_on(counts)  # error: [wrong-group]


def handed_on_with_one(counts):
    if mpu.get_tensor_model_parallel_rank() == 0:
        handed_on(counts, group=mpu.get_data_parallel_group())


def handed_on_from_a_mapping(counts):
    given = {"async_op": False}
    given["group"] = mpu.get_data_parallel_group()
    if mpu.get_tensor_model_parallel_rank() == 0:
        handed_on(counts, **given)



def handed_further(counts, **keywords):
    handed_on(counts, async_op=False, **keywords)


def handed_further_without_a_group(counts):
    if mpu.get_tensor_model_parallel_rank() == 0:
        handed_further(counts)  # error: [wrong-group]


def handed_further_with_one(counts):
    if mpu.get_tensor_model_parallel_rank() == 0:
        handed_further(counts, group=mpu.get_data_parallel_group())


def handed_further_from_a_mapping(counts, settings):
    if mpu.get_tensor_model_parallel_rank() == 0:
        handed_further(counts, **settings)


def settled_here(counts, **keywords):
    handed_on(counts, group=mpu.get_data_parallel_group(), **keywords)


def settled_there(counts):
    if mpu.get_tensor_model_parallel_rank() == 0:
        settled_here(counts, async_op=False)

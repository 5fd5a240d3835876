"""Groups of ranks: all of them, unless stages are laid out."""
import torch.distributed as dist

try:
    from kit.stages.grid import lay_out

    HAS_A_GRID = True
except ImportError:
    HAS_A_GRID = False

_IN_STAGES = False


def get_global_group():
    if not hasattr(get_global_group, "_all"):
        get_global_group._all = dist.new_group()
    return get_global_group._all


def get_data_parallel_group():
    if _IN_STAGES:
        from kit.stages.grid import rows

        return rows.get_data_parallel_group()
    return get_global_group()


def get_tensor_parallel_group():
    if _IN_STAGES:
        from kit.stages import rows

        return rows.get_tensor_parallel_group()
    return get_global_group()


def set_up(width):
    global _IN_STAGES
    if width > 1:
        if not HAS_A_GRID:
            raise ImportError("copy the grid as well")
        _IN_STAGES = True
        lay_out(width)

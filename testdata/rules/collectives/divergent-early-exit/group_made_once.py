"""A group of all ranks that is made once and handed out: what is broadcast in it all ranks know."""
import torch.distributed as dist

_GROUP = None
_OTHER = None


def make_group():
    global _GROUP
    if _GROUP is None:
        _GROUP = dist.new_group(backend="gloo")
    return _GROUP


def get_host_group():
    global _GROUP
    if _GROUP is None:
        raise RuntimeError("call make_group first")
    return _GROUP


def make_other(ranks):
    global _OTHER
    if _OTHER is None:
        _OTHER = dist.new_group(ranks)
    return _OTHER


def get_other_group():
    return _OTHER


def due(settings, entries, group):
    found = [None]
    if dist.get_rank() == 0 and settings.interval is not None:
        found[0] = {name: entry for name, entry in entries.items() if entry.step > 0}
    if dist.is_initialized():
        dist.broadcast_object_list(found, src=0, group=group)
    return found[0]


def save(settings, entries, tensor):
    if not due(settings, entries, get_host_group()):
        return
    dist.all_reduce(tensor)


def save_in_part(settings, entries, tensor):
    if not due(settings, entries, get_other_group()):
        return
    dist.all_reduce(tensor)  # error: [divergent-early-exit]

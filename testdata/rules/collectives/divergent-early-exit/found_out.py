"""One rank asks for all, and raises at what it has found or worked out, where they wait for it."""
import json
import os
import pickle

import torch.distributed as dist


def download(url, path, fetch):
    if dist.get_rank() == 0:
        fetched = fetch(url, path)
        if not fetched:
            raise RuntimeError(url)  # error: [divergent-early-exit]
    dist.barrier()


def sync(data, buffer, max_size):
    if dist.get_rank() == 0:
        packed = pickle.dumps(data)
        size = len(packed)
        if size > max_size:
            raise ValueError("too large")  # error: [divergent-early-exit]
        buffer[:size] = packed
    dist.broadcast(buffer, 0)


def prepare(folder, overwrite):
    if dist.get_rank() == 0:
        if os.path.isdir(folder) and not overwrite:
            raise FileExistsError(folder)  # error: [divergent-early-exit]
        os.makedirs(folder, exist_ok=True)
    dist.barrier()


def prepare_below(settings):
    folder = settings.folder / "data"
    if dist.get_rank() == 0:
        if folder.is_dir() and not settings.overwrite:
            raise FileExistsError(folder)  # error: [divergent-early-exit]
        folder.mkdir(parents=True, exist_ok=True)
    dist.barrier()


def finalize(results, failures_in):
    if dist.get_rank() == 0:
        failures = failures_in(results)
        if len(failures) == 0:
            print("written")
        else:
            raise RuntimeError("write", failures)  # error: [divergent-early-exit]
    dist.barrier()


def wrong_setting(config):
    if dist.get_rank() == 0:
        if config.validation_sets and not config.full_validation:
            raise ValueError("several sets need full validation")
    dist.barrier()


def not_installed(has):
    if dist.get_rank() == 0:
        installed = has("wget")
        if not installed:
            raise ImportError("wget")
    dist.barrier()


def told_to_all(url, path, fetch):
    failed = [False]
    if dist.get_rank() == 0:
        failed = [not fetch(url, path)]
    dist.broadcast_object_list(failed, src=0)
    if failed[0]:
        raise RuntimeError(url)


def behind(path):
    dist.barrier()
    if dist.get_rank() == 0:
        written = json.loads(open(path).read())
        if not written:
            raise RuntimeError(path)


def on_every_rank(path):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    dist.barrier()


def met_on_the_way(url, path, fetch):
    if dist.get_rank() == 0:
        try:
            fetched = fetch(url, path)
            if not fetched:
                raise RuntimeError(url)
        except RuntimeError:
            print("not fetched")
    dist.barrier()


def normaliser(batches, weight_of, group):
    total_weight = sum(weight_of(batch) for batch in batches)
    assert total_weight != 0, "nothing to weigh"  # error: [divergent-early-exit]
    dist.all_reduce(total_weight, group=group)
    return total_weight


def not_a_number(loss_sum):
    if loss_sum.isnan().any():
        raise ValueError("not a number")  # error: [divergent-early-exit]
    dist.all_reduce(loss_sum)
    return loss_sum


def normaliser_of_all(batches, weight_of):
    total_weight = sum(weight_of(batch) for batch in batches)
    dist.all_reduce(total_weight)
    assert total_weight != 0, "nothing to weigh"
    return total_weight


def of_one_kind(total_weight):
    assert total_weight.dim() == 0
    dist.all_reduce(total_weight)
    return total_weight

"""A function that asserts that this is the first rank writes for all."""
import torch
import torch.distributed as dist


def save(state, path, rank):
    assert rank == 0
    torch.save(state, path)


def save_by_all(state, path, rank):
    assert rank >= 0
    torch.save(state, path)  # error: [write-race]


def work(state, path, rank):
    save(state, path, rank)
    save_by_all(state, path, rank)
    dist.barrier()


def save_while_searching(state, path):
    torch.save(state, path)


def search(options, state, path):
    dist.barrier()
    if options.search:
        assert options.local_rank == -1, "not for several ranks"
        for _ in range(300):
            save_while_searching(state, path)


def save_while_drawing(state, path):
    torch.save(state, path)


def draw(options, state, path):
    dist.barrier()
    if options.draw:
        assert dist.get_world_size() == 1
        save_while_drawing(state, path)


def save_in_the_other_case(state, path):
    torch.save(state, path)  # error: [write-race]


def in_the_other_case(options, state, path):
    dist.barrier()
    if options.search:
        assert options.local_rank == -1, "not for several ranks"
    else:
        save_in_the_other_case(state, path)


def save_for_two(state, path):
    torch.save(state, path)  # error: [write-race]


def for_two(options, state, path):
    dist.barrier()
    if options.draw:
        assert dist.get_world_size() == 2
        save_for_two(state, path)

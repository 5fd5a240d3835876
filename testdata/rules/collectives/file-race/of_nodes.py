"""Who is told apart by its node alone may be the only process there; who is told apart by its rank is one of several."""
from pathlib import Path



def prepare(path, fetch, node_rank):
    target = Path(path)
    if target.exists():
        target.unlink()  # low: [file-race]
    if node_rank == 0:
        fetch(path)


def prepare_on_ranks(path, fetch, node_rank, rank):
    target = Path(path)
    if target.exists():
        target.unlink()  # error: [file-race]
    if node_rank == 0:
        fetch(path)
    if rank == 0:
        print("fetched", path)

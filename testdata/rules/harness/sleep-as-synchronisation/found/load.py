import time


def load(rank, path, download):
    if rank == 0:
        download(path)
    else:
        time.sleep(30)  # error: [sleep-as-synchronisation]
    return open(path)

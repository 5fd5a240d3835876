"""A function that a decorator calls once more on the rank on which it has failed, with what it had issued by then."""
import functools
import os
import time
import urllib.request

import torch.distributed as dist


def retry(exception, attempts=3):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            for attempt in range(attempts):
                try:
                    return function(*args, **kwargs)
                except exception:
                    if attempt + 1 == attempts:
                        raise
                    time.sleep(attempt)

        return inner

    return wrap


class Shards:
    def __init__(self, remote, local, names):
        self.remote, self.local = remote, local
        self.names = names[dist.get_rank() :: dist.get_world_size()]

    def fetch(self, name):
        urllib.request.urlretrieve(f"{self.remote}/{name}", os.path.join(self.local, name))

    @retry(OSError)  # error: [swallowed-failure]
    def prepare(self):
        dist.barrier()
        for name in self.names:
            self.fetch(name)

    @retry(OSError)
    def prepare_and_wait(self):
        for name in self.names:
            self.fetch(name)
        dist.barrier()

    @retry(OSError)
    def fetch_patiently(self, name):
        self.fetch(name)

    def prepare_piece_by_piece(self):
        dist.barrier()
        for name in self.names:
            self.fetch_patiently(name)
        dist.barrier()

    @retry(OSError)
    def prepare_with_care(self):
        dist.barrier()
        for name in self.names:
            try:
                self.fetch(name)
            except OSError as error:
                print(error)

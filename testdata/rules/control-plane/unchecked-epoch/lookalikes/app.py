from dataclasses import dataclass


@dataclass
class Result:
    call_id: int
    chunk_index: int
    cache_epoch: int
    ok: bool


class Driver:
    def __init__(self):
        self.epoch = 0
        self.expected = 1

    def accept(self, result: Result):
        current = self.epoch
        if result.cache_epoch > current:
            raise ValueError("a future epoch")
        if result.cache_epoch < current:
            return None
        if result.call_id != self.expected:
            raise ValueError("another call")
        return result

    def accept_strictly(self, result: Result):
        if result.cache_epoch != self.epoch or result.call_id != self.expected:
            raise ValueError("another call")
        return result

    def log(self, result: Result):
        print(result.call_id, result.cache_epoch)

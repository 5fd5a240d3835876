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
        if result.call_id != self.expected:  # error: [unchecked-epoch]
            raise ValueError("another call")
        return result

    def accept_what_is_old(self, result: Result):
        if result.cache_epoch > self.epoch:
            raise ValueError("a future epoch")
        if result.call_id != self.expected:  # error: [unchecked-epoch]
            raise ValueError("another call")
        return result

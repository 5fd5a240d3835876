import queue
from collections import deque

from wire import Action, Header, Link


class Stage:
    def __init__(self, link: Link, depth: int):
        self._link = link
        self._out = queue.Queue(maxsize=depth)
        self._back = queue.Queue(2)
        self._owed = deque()

    def pump(self):
        call_id, body = self._out.get()
        self._link.commit(Header(1, Action.INFER, call_id, 0), body)

import multiprocessing
import queue

from wire import Action, Header, Link


class Stage:
    def __init__(self, link: Link, **more):
        self._link = link
        self._out = queue.Queue()
        self._back = queue.Queue(maxsize=0)
        self._held = queue.LifoQueue(-1)
        self._far = multiprocessing.Queue()
        self._bare = queue.SimpleQueue()
        self._more = queue.Queue(**more)

    def pump(self):
        call_id, body = self._out.get()
        self._link.commit(Header(1, Action.INFER, call_id, 0), body)

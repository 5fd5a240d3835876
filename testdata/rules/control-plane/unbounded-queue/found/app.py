import queue

from wire import Action, Header, Link


class Stage:
    def __init__(self, link: Link):
        self._link = link
        self._out = queue.Queue()  # error: [unbounded-queue]
        self._back = queue.Queue(maxsize=0)  # error: [unbounded-queue]

    def pump(self):
        call_id, body = self._out.get()
        self._link.commit(Header(1, Action.INFER, call_id, 0), body)

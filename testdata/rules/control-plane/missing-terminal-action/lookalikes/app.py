from wire import Action, Header, Link


class PeerLost(RuntimeError):
    pass


class Driver:
    def __init__(self, link: Link):
        self._link = link

    def step(self, request, call_id, epoch):
        try:
            body = request.encode()
        except ValueError:
            self._link.send_bare(Action.SHUTDOWN, call_id, epoch)
            raise
        self._link.commit(Header(1, Action.INFER, call_id, epoch), body)

    def step_through_a_helper(self, request, call_id, epoch):
        try:
            body = request.encode()
        except ValueError:
            self._leave(call_id, epoch)
            raise
        self._link.commit(Header(1, Action.INFER, call_id, epoch), body)

    def step_of_a_lost_peer(self, request, call_id, epoch):
        try:
            body = request.encode()
        except PeerLost:
            raise
        self._link.commit(Header(1, Action.INFER, call_id, epoch), body)

    def step_that_goes_on(self, request, call_id, epoch):
        try:
            body = request.encode()
        except ValueError:
            body = b""
        self._link.commit(Header(1, Action.INFER, call_id, epoch), body)

    def _leave(self, call_id, epoch):
        self._link.send_bare(Action.SHUTDOWN, call_id, epoch)

from wire import Action, Header, Link


def check(body):
    if body.isnan().any():
        raise ValueError("not finite")
    return body


class Leader:
    def __init__(self, pair: Link, mesh: Link):
        self._pair = pair
        self._mesh = mesh

    def answer(self, header: Header):
        body = self._pair.receive_body(header)
        try:
            call = check(body)
        except ValueError:
            self._mesh.send_bare(Action.ERROR, header.call_id, header.cache_epoch)
            raise
        self._mesh.commit(header, call)

    def answer_with_its_own_check(self, header: Header):
        body = self._pair.receive_body(header)
        if body.isnan().any():
            self._mesh.send_bare(Action.ERROR, header.call_id, header.cache_epoch)
            raise ValueError("not finite")
        self._mesh.commit(header, body)

    def relay(self, header: Header):
        body = self._pair.receive_body(header)
        self._mesh.commit(header, body)

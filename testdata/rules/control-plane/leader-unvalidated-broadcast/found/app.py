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
        self._mesh.commit(header, body)  # error: [leader-unvalidated-broadcast]
        return check(body)

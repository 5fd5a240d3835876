from wire import Action, Header, Link


class Driver:
    def __init__(self, link: Link):
        self._link = link

    def step(self, request, call_id, epoch):
        try:
            body = request.encode()
        except ValueError:  # error: [missing-terminal-action]
            raise
        self._link.commit(Header(1, Action.INFER, call_id, epoch), body)

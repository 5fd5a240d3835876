from wire import Action, Link


def follow(link: Link, engine):
    while True:
        header = link.receive()  # error: [unwatched-worker-loop]
        if header.action == Action.SHUTDOWN:
            return
        engine.run(header)

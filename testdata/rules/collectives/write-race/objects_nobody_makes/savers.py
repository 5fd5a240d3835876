from zoo import fetch_named_state, fetch_other_state, fetch_state


class Saver:
    def load(self, url):
        return url


class SaverOfNobody(Saver):
    def load(self, url):
        fetch_state(url, "states")


class SaverOfMain(Saver):
    def load(self, url):
        fetch_other_state(url, "states")


class Registered:
    """Makes objects of what is derived from it, by their names."""

    known = {}

    def __init_subclass__(cls):
        Registered.known[cls.__name__] = cls


class SaverByName(Registered):
    def load(self, url):
        fetch_named_state(url, "states")

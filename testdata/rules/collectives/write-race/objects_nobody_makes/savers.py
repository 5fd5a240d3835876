from zoo import fetch_other_state, fetch_state


class Saver:
    def load(self, url):
        return url


class SaverOfNobody(Saver):
    def load(self, url):
        fetch_state(url, "states")


class SaverOfMain(Saver):
    def load(self, url):
        fetch_other_state(url, "states")

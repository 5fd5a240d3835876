import time

BEGUN = time.time()


def is_late():
    return time.time() - BEGUN > 60


class Limit:
    def is_over(self):
        return time.time() > 9

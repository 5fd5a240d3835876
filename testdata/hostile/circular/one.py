import two
from two import second, missing

VALUE = two.VALUE


def first():
    second()
    missing()


class One(two.Two):
    pass

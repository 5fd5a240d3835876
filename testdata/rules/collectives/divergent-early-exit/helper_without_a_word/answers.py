"""A question that is answered in a file that speaks of no ranks."""


def first(number):
    return number == 0

"""Short films, in a folder that is a package without saying so."""


def films(rank, size):
    return [rank, size]

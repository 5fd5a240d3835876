import os

from app.keys import DROP, STALL


def drop():
    return os.environ.get(DROP) == "1"


def stall():
    return os.environ.get(STALL) == "1"  # error: [ungated-test-hook]

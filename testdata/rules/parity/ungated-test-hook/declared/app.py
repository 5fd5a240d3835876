import os


def hooks():
    a = os.environ.get("MY_TEST_DROP")
    b = os.environ.get("MY_TEST_SLOW_START")
    c = os.environ.get("SCOPE_TEST_DROP")
    d = os.environ.get("MY_TEST_STALL")  # error: [ungated-test-hook]
    return a, b, c, d

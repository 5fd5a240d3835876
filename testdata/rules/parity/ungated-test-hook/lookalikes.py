"""Keys that are no test keys, and mappings that are not the environment."""
import os


def other(settings, name):
    a = os.environ.get("SCOPE_DEBUG")
    b = os.environ["RANK"]
    c = settings["SCOPE_TEST_DROP"]
    d = settings.get("SCOPE_TEST_DROP")
    e = os.environ.get(name)
    os.environ["SCOPE_TEST_DROP"] = "1"
    os.environ.setdefault("SCOPE_TEST_DROP", "1")
    del os.environ["SCOPE_TEST_DROP"]
    os.environ.pop("SCOPE_TEST_DROP", None)
    print("set SCOPE_TEST_DROP to drop a message")
    return a, b, c, d, e

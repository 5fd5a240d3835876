"""Hooks in a program that compares nothing."""
import os
from os import environ as e, getenv

PREFIX = "SCOPE_TEST_"
ENV = os.environ


def hooks():
    a = os.environ["SCOPE_TEST_DROP"]  # error: [ungated-test-hook]
    b = os.environ.get("SCOPE_TEST_DROP", "0")  # error: [ungated-test-hook]
    c = getenv("SCOPE_TEST_DROP")  # error: [ungated-test-hook]
    d = "SCOPE_TEST_DROP" in os.environ  # error: [ungated-test-hook]
    f = os.environ.pop("SCOPE_TEST_DROP", None)  # error: [ungated-test-hook]
    g = e["SCOPE_TEST_DROP"]  # error: [ungated-test-hook]
    h = e.get(PREFIX + "DELAY")  # error: [ungated-test-hook]
    i = ENV.get("SCOPE_TEST_DROP")  # error: [ungated-test-hook]
    env = os.environ
    j = env.get("SCOPE_TEST_DROP")  # error: [ungated-test-hook]
    return a, b, c, d, f, g, h, i, j


def flag(name, default=""):
    return os.environ.get(name, default) == "1"


def hook(name):
    return os.environ.get(f"SCOPE_TEST_{name}")


def through_helpers():
    return flag("SCOPE_TEST_DROP"), flag("SCOPE_DEBUG"), hook("DROP"), hook(name="DELAY")  # error: [ungated-test-hook]


class Hooks:
    def _flag(self, key):
        return key in os.environ

    def read(self):
        return self._flag("SCOPE_TEST_DROP")  # error: [ungated-test-hook]


def chosen(names):
    return [os.environ.get(f"SCOPE_TEST_{name}") for name in names]  # error: [ungated-test-hook]

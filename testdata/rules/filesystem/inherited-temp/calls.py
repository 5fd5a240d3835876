import os
import tempfile
from os import environ as env
from tempfile import gettempdir as where


def inherited(name):
    a = tempfile.gettempdir()  # low: [inherited-temp]
    b = os.path.join(where(), name)  # low: [inherited-temp]
    c = tempfile.gettempprefix()  # low: [inherited-temp]
    d = os.environ["TMPDIR"]  # low: [inherited-temp]
    e = os.environ.get("TMPDIR", "out")  # low: [inherited-temp]
    f = os.getenv("TEMP")  # low: [inherited-temp]
    g = env["TMP"]  # low: [inherited-temp]
    os.environ["TMPDIR"] = "/tmp/run"  # error: [inherited-temp]
    return a, b, c, d, e, f, g

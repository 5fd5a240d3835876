import os
import tempfile
from os import environ as env
from tempfile import gettempdir as where


def inherited(name):
    a = tempfile.gettempdir()  # error: [inherited-temp]
    b = os.path.join(where(), name)  # error: [inherited-temp]
    c = tempfile.gettempprefix()  # error: [inherited-temp]
    d = os.environ["TMPDIR"]  # error: [inherited-temp]
    e = os.environ.get("TMPDIR", "out")  # error: [inherited-temp]
    f = os.getenv("TEMP")  # error: [inherited-temp]
    g = env["TMP"]  # error: [inherited-temp]
    os.environ["TMPDIR"] = "/tmp/run"  # error: [inherited-temp]
    return a, b, c, d, e, f, g

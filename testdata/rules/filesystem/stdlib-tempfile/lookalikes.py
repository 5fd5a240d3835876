import os
import tempfile

from project import tempfile as ours


def inside(folder, options):
    os.makedirs("out/_debug", exist_ok=True)
    a = tempfile.mkdtemp(dir="out/_debug")
    b = tempfile.NamedTemporaryFile("w", dir=folder)
    c = tempfile.mkdtemp("", "run", folder)
    d = tempfile.TemporaryDirectory(**options)
    e = ours.mkdtemp()
    return a, b, c, d, e


class Pool:
    def mkdtemp(self):
        return "out"

    def use(self):
        return self.mkdtemp()

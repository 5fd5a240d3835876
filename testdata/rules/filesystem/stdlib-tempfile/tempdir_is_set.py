import os
import tempfile

os.makedirs("out/_scratch", exist_ok=True)
tempfile.tempdir = "out/_scratch"


def inside():
    return tempfile.mkdtemp()

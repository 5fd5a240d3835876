import os
import tempfile


def pack(name):
    folder = tempfile.mkdtemp()  # error: [stdlib-tempfile]
    return os.path.join(folder, os.environ["TMPDIR"], name)  # error: [inherited-temp]

import tempfile
import tempfile as tf
from tempfile import TemporaryDirectory, mkdtemp as make_folder


def everywhere(suffix):
    a = tempfile.mkdtemp()  # error: [stdlib-tempfile]
    b = tempfile.mkstemp(suffix=".pt")  # error: [stdlib-tempfile]
    c = tf.NamedTemporaryFile("w", delete=False)  # error: [stdlib-tempfile]
    d = make_folder(prefix="run")  # error: [stdlib-tempfile]
    e = tempfile.TemporaryFile()  # error: [stdlib-tempfile]
    f = tempfile.SpooledTemporaryFile(max_size=10)  # error: [stdlib-tempfile]
    g = tempfile.mktemp()  # error: [stdlib-tempfile]
    h = tempfile.mkdtemp(suffix, "run", None)  # error: [stdlib-tempfile]
    i = tempfile.mkdtemp(dir="/tmp")  # error: [stdlib-tempfile]
    with TemporaryDirectory() as folder:  # error: [stdlib-tempfile]
        return a, b, c, d, e, f, g, h, i, folder

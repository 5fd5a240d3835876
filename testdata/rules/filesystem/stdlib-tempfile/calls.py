import tempfile
import tempfile as tf
from tempfile import TemporaryDirectory, mkdtemp as make_folder


def everywhere(suffix):
    a = tempfile.mkdtemp()  # low: [stdlib-tempfile]
    b = tempfile.mkstemp(suffix=".pt")  # low: [stdlib-tempfile]
    c = tf.NamedTemporaryFile("w", delete=False)  # low: [stdlib-tempfile]
    d = make_folder(prefix="run")  # low: [stdlib-tempfile]
    e = tempfile.TemporaryFile()  # low: [stdlib-tempfile]
    f = tempfile.SpooledTemporaryFile(max_size=10)  # low: [stdlib-tempfile]
    g = tempfile.mktemp()  # low: [stdlib-tempfile]
    h = tempfile.mkdtemp(suffix, "run", None)  # low: [stdlib-tempfile]
    i = tempfile.mkdtemp(dir="/tmp")  # error: [stdlib-tempfile]
    with TemporaryDirectory() as folder:  # low: [stdlib-tempfile]
        return a, b, c, d, e, f, g, h, i, folder

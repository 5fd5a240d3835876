import tempfile


def scratch(name, **more):
    a = tempfile.mkdtemp()
    b = tempfile.NamedTemporaryFile("w", suffix=".json")
    c = tempfile.TemporaryDirectory(
        prefix=(name),
    )
    d = tempfile.TemporaryDirectory(
        prefix=name  # of the job
    )
    e = tempfile.mkdtemp(**more)
    f = tempfile.mkdtemp(None, None, None)
    return a, b, c, d, e, f

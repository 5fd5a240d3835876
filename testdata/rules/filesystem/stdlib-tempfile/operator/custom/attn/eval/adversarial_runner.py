import tempfile


def dump(text):
    with tempfile.NamedTemporaryFile("w", delete=False) as f:  # error: [stdlib-tempfile]
        f.write(text)
    return tempfile.gettempdir()  # error: [inherited-temp]

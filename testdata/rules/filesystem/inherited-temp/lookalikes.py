import os


def inside(settings):
    os.makedirs("out/_scratch", exist_ok=True)
    os.environ["TMPDIR"] = "out/_scratch"
    a = settings["TMPDIR"]
    b = os.environ.get("RUN_TMPDIR", "out")
    c = settings.get("TMP")
    os.environ.pop("TMPDIR", None)
    return a, b, c

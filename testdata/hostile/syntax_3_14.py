template = t"{rank!r} and {x:>{width}}"
try:
    f()
except ValueError, TypeError:
    g()

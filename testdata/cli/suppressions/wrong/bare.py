# ranklint: ignore
def f(:

# ranklint: ignore-file[syntax-error] -- a template
x = 1


def f(:

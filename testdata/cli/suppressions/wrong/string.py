x = '# ranklint: ignore-file[syntax-error]'
def f(:

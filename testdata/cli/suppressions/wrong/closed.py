# ranklint: disable[syntax-error]
# ranklint: enable[syntax-error]

def f(:

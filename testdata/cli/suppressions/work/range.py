# ranklint: disable[syntax-error]

def f(:
# ranklint: enable[syntax-error]

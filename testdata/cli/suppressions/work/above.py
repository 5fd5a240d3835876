# ranklint: ignore[meta] -- a template
# and a remark
def f(:

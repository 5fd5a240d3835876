x = 1
def f(: # ranklint: ignore[syntax-error] -- a template

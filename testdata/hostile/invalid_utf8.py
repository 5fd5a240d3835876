x = 'Ã( ÿş í €'
def f():
    return ğŸ

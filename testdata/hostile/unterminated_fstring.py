x = f'{a + {b!r:>{width}'
y = f'''{

x = 1 + \
\
    2
if x \
   == 3: \
    pass
\
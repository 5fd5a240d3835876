x = 1  # ranklint: ingore[meta]

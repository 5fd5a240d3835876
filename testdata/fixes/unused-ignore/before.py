import os

# ranklint: ignore[wrong-root] -- was needed once
x = "é"
y = 1  # ranklint: ignore[wrong-group] -- so was this

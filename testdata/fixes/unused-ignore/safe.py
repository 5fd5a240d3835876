import os

x = "é"
y = 1

"""What the first rank shows."""
import os


class Shown:
    def __init__(self, folder):
        if not os.path.exists(folder):
            os.makedirs(folder)

"""A clock of its own in a file that speaks of no ranks."""
import time


class Budget:
    def __init__(self, seconds):
        self.begun = time.monotonic()
        self.seconds = seconds

    def is_spent(self):
        return time.monotonic() - self.begun > self.seconds

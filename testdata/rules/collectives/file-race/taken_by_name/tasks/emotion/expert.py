"""How they feel."""
import os


class TaskExpert:
    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)


class OtherExpert:
    def __init__(self, folder):
        if not os.path.exists(folder):
            os.makedirs(folder)

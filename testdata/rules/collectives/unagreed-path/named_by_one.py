"""A name that only the first rank makes, for what only that rank saves."""
import os
import time

from accelerate import Accelerator


class Named:
    def __init__(self, args):
        self.accelerator = Accelerator()
        if self.accelerator.is_main_process:
            self.folder = os.path.join(args.root, f"time_{int(time.time())}")
            os.makedirs(self.folder)

    def save(self, step):
        self.accelerator.save_state(os.path.join(self.folder, str(step)))


class NamedByAll:
    def __init__(self, args):
        self.accelerator = Accelerator()
        self.folder = os.path.join(args.root, f"time_{int(time.time())}")
        if self.accelerator.is_main_process:
            os.makedirs(self.folder)

    def save(self, step):
        self.accelerator.save_state(os.path.join(self.folder, str(step)))  # error: [unagreed-path]

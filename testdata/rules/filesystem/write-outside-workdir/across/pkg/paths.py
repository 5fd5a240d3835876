import os

ROOT = "/tmp"
SCRATCH = os.path.join(ROOT, "scratch")
LOCAL = "out"

from .distributed import *

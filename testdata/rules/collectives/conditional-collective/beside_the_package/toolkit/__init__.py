from .core import Brain

from .b import *
from . import b
__all__ = b.__all__ + ['f']


def f():
    g()

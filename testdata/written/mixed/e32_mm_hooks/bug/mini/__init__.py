from . import hooks  # noqa: F401
from .runner import Runner

__all__ = ["Runner"]

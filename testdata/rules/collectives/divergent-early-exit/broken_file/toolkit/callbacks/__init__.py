"""The callbacks that there are."""
from toolkit.callbacks import named

__all__ = ["named"]

from .core import DPEngineCore

__all__ = ["DPEngineCore"]

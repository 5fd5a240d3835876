from .guards import StepGuard, Timer, best_effort

__all__ = ["StepGuard", "Timer", "best_effort"]

from .comm import barrier, mean_across_ranks
from .roles import is_leader, on_leader

__all__ = ["barrier", "is_leader", "mean_across_ranks", "on_leader"]

from .logger import MetricLogger
from .prefetch import DistributedPrefetcher

__all__ = ["MetricLogger", "DistributedPrefetcher"]

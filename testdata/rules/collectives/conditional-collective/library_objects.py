"""An object that a library has made has the library's methods (P14)."""
import torch.distributed as dist
from datasets.download import DownloadManager


class Resource:
    @staticmethod
    def download(path):
        dist.barrier()
        return path


def fetch(path):
    if dist.get_rank() == 0:
        DownloadManager(cache="x").download(path)


def fetch_by_name(resource, path):
    if dist.get_rank() == 0:
        resource.download(path)  # error: [conditional-collective]

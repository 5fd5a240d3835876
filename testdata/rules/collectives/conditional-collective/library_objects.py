"""An object that a library has made has the library's methods (P14)."""
import torch.distributed as dist
from datasets.download import DownloadManager
from tools.judging import Evaluation, FastEvaluation


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


class Judge:
    def evaluate_all(self):
        dist.barrier()


class OwnEvaluation(Evaluation):
    """Defines nothing: what it does is the library's."""


def judged(results, fast, own):
    if dist.get_rank() == 0:
        judge = (FastEvaluation if fast else Evaluation)(results)
        if own:
            judge = OwnEvaluation(results)
        judge.evaluate_all()


def judged_by_name(results, judge):
    if dist.get_rank() == 0:
        judge.evaluate_all()  # error: [conditional-collective]

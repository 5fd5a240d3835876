"""Master/worker task farm for parameter sweeps (mpi4py)."""
import time

from mpi4py import MPI

TAG_WORK = 1
TAG_RESULT = 2
TAG_TIMING = 3
TAG_SUMMARY = 4


class TaskFarm:
    def __init__(self, comm, evaluate):
        self.comm = comm
        self.rank = comm.Get_rank()
        self.size = comm.Get_size()
        self.evaluate = evaluate

    def _master(self, tasks):
        workers = range(1, self.size)
        for w in workers:
            self.comm.send(tasks[w - 1 :: self.size - 1], dest=w, tag=TAG_WORK)
        results = []
        for w in workers:
            results.extend(self.comm.recv(source=w, tag=TAG_RESULT))
        return results

    def _worker(self):
        share = self.comm.recv(source=0, tag=TAG_WORK)
        self.comm.send([self.evaluate(t) for t in share], dest=0, tag=TAG_RESULT)

    def run(self, tasks):
        if self.rank == 0:
            return self._master(tasks)
        return self._worker()

    def collect_timings(self, started):
        elapsed = time.time() - started
        if self.rank == 0:
            return [self.comm.recv(source=w, tag=TAG_SUMMARY) for w in range(1, self.size)]  # BUG 1
        self.comm.send(elapsed, dest=0, tag=TAG_TIMING)
        return None

    def collect_errors(self, errors):
        if self.rank != 0:
            self.comm.send(errors, dest=0, tag=TAG_SUMMARY)
            return None
        merged = list(errors)
        for source in range(self.size):
            merged.extend(self.comm.recv(source=source, tag=TAG_SUMMARY))  # BUG 2
        return merged

"""Parallel simulated annealing with configuration exchange over MPI."""
import numpy as np
from mpi4py import MPI


class Annealer:
    def __init__(self, comm, size, seed):
        self.comm = comm
        self.rank = comm.Get_rank()
        self.node = comm.Split_type(MPI.COMM_TYPE_SHARED)
        self.rng = np.random.default_rng(seed + self.rank)
        self.state = self.rng.normal(size=size)
        self.best = np.inf

    def energy(self):
        return float(np.square(self.state).sum() + np.cos(5 * self.state).sum())

    def exchange(self):
        _, winner = self.comm.allreduce((self.energy(), self.rank), op=MPI.MINLOC)
        self.state = self.comm.bcast(self.state, root=winner)

    def restart_from_better(self):
        current = self.energy()
        root = self.rank if current < self.best else 0
        self.best = min(self.best, current)
        self.state = self.comm.bcast(self.state, root=root)  # BUG 1

    def load_schedule(self, path):
        leader = self.node.allreduce(self.rank, op=MPI.MIN)
        schedule = np.loadtxt(path) if self.rank == leader else None
        return self.node.bcast(schedule, root=leader)  # BUG 2

    def load_bounds(self, path):
        bounds = np.loadtxt(path) if self.node.Get_rank() == 0 else None
        return self.node.bcast(bounds, root=0)


def main():
    annealer = Annealer(MPI.COMM_WORLD, 64, seed=11)
    schedule = annealer.load_schedule("schedule.txt")
    low, high = annealer.load_bounds("bounds.txt")
    for i, temperature in enumerate(schedule):
        annealer.state += temperature * annealer.rng.normal(size=annealer.state.shape)
        np.clip(annealer.state, low, high, out=annealer.state)
        if i % 100 == 0:
            annealer.restart_from_better()
    annealer.exchange()

"""Particle exchange in a small molecular-dynamics code (mpi4py buffers)."""
import numpy as np
from mpi4py import MPI


class ParticleDomain:
    def __init__(self, comm, box, count, seed):
        self.comm = comm
        self.rank = comm.Get_rank()
        self.size = comm.Get_size()
        self.box = box
        rng = np.random.default_rng(seed)
        everything = rng.uniform(0.0, box, size=count)
        owner = np.minimum((everything / box * self.size).astype(int), self.size - 1)
        self.positions = np.ascontiguousarray(everything[owner == self.rank])
        self.velocities = np.zeros_like(self.positions)

    def all_positions(self):
        counts = np.array(self.comm.allgather(self.positions.size))
        displs = np.concatenate([[0], np.cumsum(counts)[:-1]])
        out = np.empty(counts.sum())
        self.comm.Allgatherv(self.positions, [out, counts, displs, MPI.DOUBLE])
        return out

    def all_velocities(self):
        out = np.empty(self.velocities.size * self.size)
        self.comm.Allgather(self.velocities, out)  # BUG 1
        return out

    def reference_positions(self):
        reference = self.positions.copy()
        self.comm.Bcast(reference, root=0)  # BUG 2
        return reference

    def kinetic_energy(self):
        local = 0.5 * float(np.square(self.velocities).sum())
        return self.comm.allreduce(local, op=MPI.SUM)

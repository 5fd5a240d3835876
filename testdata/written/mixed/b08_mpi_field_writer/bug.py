"""Aggregated field output with a few writer processes per node (mpi4py)."""
import json

import numpy as np
from mpi4py import MPI


class FieldWriter:
    def __init__(self, comm, writers_per_node):
        self.comm = comm
        node = comm.Split_type(MPI.COMM_TYPE_SHARED)
        self.is_writer = node.Get_rank() < writers_per_node
        color = 0 if self.is_writer else MPI.UNDEFINED
        self.io = comm.Split(color, key=comm.Get_rank())
        node.Free()

    def write(self, path, block):
        if self.io == MPI.COMM_NULL:
            return
        fh = MPI.File.Open(self.io, path, MPI.MODE_CREATE | MPI.MODE_WRONLY)
        offset = self.io.exscan(block.nbytes) or 0
        fh.Write_at_all(offset, np.ascontiguousarray(block))
        fh.Close()
        self.io.Barrier()

    def write_index(self, path, entry):
        if not self.is_writer:
            return
        entries = self.comm.gather(entry, root=0)  # BUG 1
        if entries is not None:
            with open(path, "w") as f:
                json.dump(entries, f)

    def close(self):
        if self.io != MPI.COMM_NULL:
            self.io.Free()


def run(steps, make_block):
    comm = MPI.COMM_WORLD
    writer = FieldWriter(comm, writers_per_node=2)
    for step in range(steps):
        block = make_block(step)
        writer.write(f"field_{step:05d}.bin", block)
        total = comm.allreduce(float(block.sum()), op=MPI.SUM)
        if comm.Get_rank() == 0:
            print(step, total)
    writer.write_index("index.json", {"rank": comm.Get_rank(), "steps": steps})
    writer.close()

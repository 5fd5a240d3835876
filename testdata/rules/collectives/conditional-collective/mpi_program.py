"""mpi4py: lower-case and upper-case collectives of a communicator (P01, P23)."""
from mpi4py import MPI

comm = MPI.COMM_WORLD


def load(path):
    rank = comm.Get_rank()
    if rank == 0:
        with open(path) as file:
            data = file.read()
        data = comm.bcast(data, root=0)  # error: [conditional-collective]
    else:
        data = None
    return data


def load_in_step(path):
    rank = comm.Get_rank()
    data = None
    if rank == 0:
        with open(path) as file:
            data = file.read()
    return comm.bcast(data, root=0)


def total(x):
    if comm.rank == 0:
        return comm.allreduce(x, op=MPI.SUM)  # error: [conditional-collective]
    return x


def total_in_step(x):
    s = comm.allreduce(x, op=MPI.SUM)
    if comm.rank == 0:
        print(s)
    return s


def ring(x):
    if comm.rank == 0:
        comm.send(x, dest=1)
    elif comm.rank == 1:
        x = comm.recv(source=0)
    return x

from hosts import host_names
from mpi4py import MPI


def main(name):
    if MPI.COMM_WORLD.Get_rank() == 0:
        print(host_names(name))  # error: [conditional-collective]

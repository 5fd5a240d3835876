def barrier():
    barrier()


def get_rank():
    return get_rank()


if get_rank() == 0:
    barrier()

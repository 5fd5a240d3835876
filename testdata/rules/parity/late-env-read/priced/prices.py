"""What an all-reduce costs, by a formula: nobody communicates."""


def allreduce(args, size, ranks):
    return 2 * size * (ranks - 1) / ranks / bandwidth(args["nodes"])


def bandwidth(nodes):
    return 50.0 if nodes > 1 else 400.0

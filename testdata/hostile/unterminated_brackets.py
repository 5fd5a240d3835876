def f(a, b=[(1, {2: (3,
    dist.barrier()
class C(

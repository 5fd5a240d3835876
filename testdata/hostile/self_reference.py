import functools

import torch.distributed as dist

a = lambda: a()
b = functools.partial(b, b)
c = [c, {c: c}]


def deco(f):
    return deco(f)


@deco
@deco(deco)
def f(x=f, *, y=lambda: f()):
    f.f = f
    f.f.f(f)(f)[f](f(f(f)))
    with f as f, f() as f.f:
        dist.barrier(f)
    for f in f: f = f
    while f: del f
    return f(f)


class D:
    d = property(lambda self: self.d)
    e = e = d

    def __getattr__(self, name):
        return getattr(self, name)

    def __enter__(self): return self.__enter__()
    def __exit__(self, *a): return self.__exit__(*a)
    def __call__(self): self(); self()()

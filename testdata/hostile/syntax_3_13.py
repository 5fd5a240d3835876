"""Every kind of syntax that Python 3.13 has, around collectives."""
from __future__ import annotations

import asyncio
from dataclasses import dataclass

import torch.distributed as dist

type Rank = int
type Pair[T, *Ts, **P] = tuple[T, *Ts]
type Late[T: (int, str) = int] = list[T]


def first[T: int](items: list[T], /, *rest: *tuple[T, ...], key=None, **options) -> T:
    return items[0]


class Box[T = int, *Ts = *tuple[int, ...], **P = [int]](dict[str, T], metaclass=type):
    __slots__ = ("x",)
    x: T

    @property
    def rank(self) -> int: return dist.get_rank()

    @(lambda f: f)
    async def run(self, group): ...

    def __class_getitem__(cls, item): return cls


@dataclass(frozen=True, kw_only=True)
class Point:
    x: int = 0
    y: int = 0
    __match_args__ = ("x", "y")


def shapes(command, group=None):
    match command:
        case {"op": "reduce", "n": int(n), **rest} if (rank := dist.get_rank()) == n:
            dist.all_reduce(rest["t"])
        case [Point(0, y=0), *_, -1 | 1j | "a" "b" | None | True] as whole:
            dist.barrier()
        case Point(x=x) | Point(y=x):
            return x
        case (1 + 2j) | -3.5 | b"bytes":
            pass
        case dist.ReduceOp.SUM | {**rest}:
            dist.broadcast(command, src=0)
        case str() | [] | {} | () | [_, [_, *_]]:
            raise ValueError(f"{command!r:>{10 + len(f'{command}')}}") from None
        case _:
            return


def handlers():
    try:
        dist.barrier()
    except* (ValueError, TypeError) as group:
        print(group)
    except* OSError:
        raise
    else:
        dist.all_reduce(1)
    finally:
        dist.barrier()


async def loops(stream):
    async with asyncio.timeout(1) as a, asyncio.Lock() as (b, *c):
        async for item in stream:
            if not item: continue
            yield item
        else:
            await dist.barrier()
    return_values = [x async for x in stream if x if (y := x) for z in (yield) or ()]
    with (open("a") as f, open("b") as g,):
        pass


def strings(x):
    a = f"{x=!r:^{x}} {'nested' + f'{f'{x}'}'} {"same quotes"} {x:%Y-%m-%d} {{}} {
        x  # a comment
    }"
    b = rf'\d{x}\N' rF'{x}' if x else Rb"raw" b'\xff'
    c = f"{(lambda x: 1)}" f"{x:{'>'}{10}}" f"""{
        x!s}"""
    return a, b, c, 0xFF_FF, 0o17, 0b1_0, 1_000.0e-1_0, 1_0j, ..., not -~+x ** -x @ x // x


def control(x):
    global G
    G = (yield (yield from x))
    for i, *j in *x, *x: break
    else: dist.barrier()
    while (n := dist.get_world_size()) > 1: dist.barrier(); x -= 1
    del x[:, ..., 1:2:3], x.a
    assert x if x else not x, (yield)
    a = b = c, = x
    a: int
    (a): int = 1
    x.a[b]: list[int] = []
    a @= b; a //= b; a **= b; a >>= b
    return lambda *a, k=(lambda: (yield)), **kw: {*a, *{}} or {**kw, 'a': 1} or {i: j for i, j in a} or (i for i in a)


def positional(a, b=1, /, c=2, *, d, e=3, **f): print(*a, *b, **c, **d, e=1)


x = 1 if dist.get_rank() else 2 if dist.get_world_size() else dist.barrier()
y = a < b <= c != d is not e not in f and g or not h
z = a[b, *c][*d] if (lambda: (dist.barrier(), 1))() else a[b:=1]

"""Puts a function of the probe in the place of a function of torch without replacing the function.

The function object keeps its identity and gets new code: ``from torch.distributed import all_reduce`` in modules that
were imported earlier, ``P2POp(dist.isend, …)``, pickles, ``torch.compile``'s table of functions it rewrites and
``inspect.signature`` all see what they saw before. The old code lives on in a function of its own.
"""

from __future__ import annotations

from types import FunctionType

from . import sites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_TAKES_ANY = 0x04 | 0x08
"""CO_VARARGS and CO_VARKEYWORDS; ``inspect`` would cost the start of every process."""


originals: dict[tuple[str, str], Callable[..., Any]] = {}
"""What stands beneath each function that was put in place, by module and name."""


class Place:
    """A function of torch, taken apart.

    ``function`` is the innermost one, below its decorators, of which there are ``decorators`` (so many frames stand
    between it and the caller); ``original`` is a function with the old code.
    """

    def __init__(
        self,
        function: FunctionType,
        original: Callable[..., Any],
        positional: tuple[str, ...],
        keyword: tuple[str, ...],
        decorators: int,
    ) -> None:
        self.function = function
        self.original = original
        self.positional = positional
        self.keyword = keyword
        self.decorators = decorators

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters, keyword-only ones last."""
        return self.positional + self.keyword

    @property
    def passed(self) -> str:
        """The parameters as a call passes them on."""
        return ", ".join([*self.positional, *(f"{name}={name}" for name in self.keyword)])


def find(function: Any) -> Place | None:
    """Takes a function apart; None where it is no plain Python function or takes arguments without names."""
    decorators = 0
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
        decorators += 1
    if not isinstance(function, FunctionType) or id(function.__code__) in sites.placed:
        return None
    code = function.__code__
    if code.co_flags & (_TAKES_ANY):
        return None
    original = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    original.__kwdefaults__ = function.__kwdefaults__
    original.__qualname__, original.__module__ = function.__qualname__, function.__module__
    positional, keyword = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    return Place(function, original, names[:positional], names[positional : positional + keyword], decorators)


def put(place: Place, replacement: Callable[..., Any]) -> None:
    """Has ``replacement`` called instead, with every parameter by position, keyword-only ones by name."""
    function = place.function
    old = function.__code__
    name = f"__ranklint_{function.__name__}_{len(sites.placed)}__"
    bare = [*place.positional, *(["*"] if place.keyword else []), *place.keyword]
    source = f"def {function.__name__}({', '.join(bare)}):\n    return {name}({place.passed})\n"
    made: dict[str, Any] = {}
    exec(compile(source, old.co_filename, "exec"), made)
    code = made[function.__name__].__code__.replace(co_firstlineno=old.co_firstlineno, co_freevars=old.co_freevars)
    sites.placed[id(code)] = code
    function.__globals__[name] = replacement
    originals[function.__module__, function.__name__] = place.original
    function.__code__ = code
    sites.placed[id(function.__code__)] = function.__code__

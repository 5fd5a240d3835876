"""Mutants: the reference runtime with one guard taken out, as patches that stand beside this file.

A patch is a unified diff; its hunks are found by their text, not by line numbers, and must match exactly once.
`install` makes the mutated package importable from memory; `write` puts its source into a folder, where it can be
read and linted.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
REFERENCE = HERE.parent.parent / "reference"
PACKAGE = "ranklint_mutant"


class PatchError(ValueError):
    """A patch that fits its source nowhere, or in more than one place."""


def names() -> list[str]:
    """All mutants."""
    return sorted(path.stem for path in HERE.glob("*.patch"))


def explain(name: str) -> str:
    """What the mutant lacks: the lines of its patch before the first file."""
    return read_patch(name).partition("--- ")[0].strip()


def read_patch(name: str) -> str:
    """Raises `PatchError` for a name that is no mutant."""
    path = HERE / f"{name}.patch"
    if not path.is_file():
        raise PatchError(f"no mutant {name!r}; there are {', '.join(names())}")
    return path.read_text(encoding="utf-8")


def apply(patch: str, file: str, source: str) -> str:
    """`source` with the hunks of `patch` for `file` applied. Raises `PatchError`."""
    for part in re.split(r"^--- ", patch, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        if Path(head.split("\t")[0].strip()).name != file:
            continue
        for hunk in re.split(r"^@@.*\n", body, flags=re.MULTILINE)[1:]:
            lines = hunk.splitlines()
            old = "\n".join(line[1:] for line in lines if line[:1] in (" ", "-", ""))
            new = "\n".join(line[1:] for line in lines if line[:1] in (" ", "+", ""))
            if source.count(old) != 1:
                raise PatchError(f"{file}: a hunk fits {source.count(old)} places:\n{old}")
            source = source.replace(old, new)
    return source


def sources(name: str) -> dict[str, str]:
    """File name to mutated source, for every module of the runtime. Raises `PatchError` if nothing changed."""
    patch = read_patch(name)
    plain = {path.name: path.read_text(encoding="utf-8") for path in sorted(REFERENCE.glob("*.py"))}
    mutated = {file: apply(patch, file, source) for file, source in plain.items()}
    if mutated == plain:
        raise PatchError(f"{name} changes nothing")
    return mutated


def write(name: str, folder: Path) -> Path:
    """Writes the mutated package to `folder`/reference and returns that."""
    package = folder / "reference"
    package.mkdir(parents=True, exist_ok=True)
    for file, source in sources(name).items():
        (package / file).write_text(source, encoding="utf-8")
    return package


class MutantFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutated package from memory."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sources = sources(name)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Only what lies under the package's name."""
        if self._file(fullname) not in self._sources:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=fullname == PACKAGE)

    def exec_module(self, module: ModuleType) -> None:
        """Compiles and runs one module."""
        exec(compile(self.get_source(module.__name__), self.get_filename(module.__name__), "exec"), module.__dict__)

    def get_source(self, fullname: str) -> str:
        """For tracebacks, and for compilers that read source."""
        return self._sources[self._file(fullname)]

    def get_filename(self, fullname: str) -> str:
        """A name that tells where the text is from."""
        return f"<mutant {self._name}>/{self._file(fullname)}"

    @staticmethod
    def _file(fullname: str) -> str:
        if fullname == PACKAGE:
            return "__init__.py"
        return fullname[len(PACKAGE) + 1 :] + ".py" if fullname.startswith(PACKAGE + ".") else ""


def install(name: str) -> str:
    """Makes the mutant importable in this process and returns its package's name. Raises `PatchError`."""
    sys.meta_path.insert(0, MutantFinder(name))
    return PACKAGE

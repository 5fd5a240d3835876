"""`python -m ranklint.matrix.mutants [NAME --write FOLDER]`: lists the mutants, or writes one out."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import explain, names, write


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(prog="ranklint.matrix.mutants")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    if args.name is None or args.write is None:
        for name in names():
            print(f"{name}: {explain(name)}")
        return
    print(write(args.name, args.write))


if __name__ == "__main__":
    main()

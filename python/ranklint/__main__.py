"""`python -m ranklint`: finds the program that came with this package, and becomes it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path


def candidates() -> list[Path]:
    """Where installers put the program: beside this interpreter, below the user's own folder, or below `--target`."""
    name = "ranklint" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user") if sys.version_info >= (3, 10) else f"{os.name}_user"
    folders = [
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", scheme=user)),
        Path(__file__).resolve().parent.parent / "bin",
    ]
    return [folder / name for folder in folders]


def find() -> Path | None:
    """The program; none where it was not installed with the package."""
    for path in candidates():
        if path.is_file():
            return path
    found = shutil.which("ranklint")
    return Path(found) if found else None


def main() -> int:
    """Runs the program with the arguments of this process."""
    program = find()
    if program is None:
        tried = ", ".join(str(path) for path in candidates())
        print(f"error: the program `ranklint` is not installed beside its package (tried {tried})", file=sys.stderr)
        print("help: install the wheel again: python -m pip install --force-reinstall ranklint", file=sys.stderr)
        return 2
    command = [str(program), *sys.argv[1:]]
    if sys.platform == "win32":
        return subprocess.run(command, check=False).returncode
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main())

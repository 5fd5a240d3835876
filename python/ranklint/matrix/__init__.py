"""The operator matrix: rows that break a control plane on purpose, and prove that it ends as it must (spec 000).

`python -m ranklint.matrix --list --json` declares rows and arms for a runner; `python -m ranklint.matrix.NAME --arm
ARM` is one rank of one arm, started like any torch program; `run_operator_matrix` runs everything without a runner of
its own.
"""

from __future__ import annotations

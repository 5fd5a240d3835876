"""`python -m ranklint.matrix`: the declarations (`--list [--json]`), or else the runner."""

from __future__ import annotations

import json
import os
import sys

from .catalog import load_rows
from .row import STAGE_SCALE, stage_scale
from .run_operator_matrix import START_LIMIT_S, main

if __name__ == "__main__":
    if sys.argv[1:] == ["--list", "--json"]:
        os.environ.setdefault(STAGE_SCALE, stage_scale())
        rows = [row.to_json(sys.executable) for row in load_rows()]
        print(json.dumps({"version": 1, "clock": "monotonic", "start_limit": START_LIMIT_S, "rows": rows}, indent=1))
    else:
        main()

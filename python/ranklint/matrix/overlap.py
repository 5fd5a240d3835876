"""What the O rows share: simulated stage times, and a measurement in the journal."""

from __future__ import annotations

import os
import resource
import sys
from dataclasses import asdict

from .program import say
from .protocol import Request, Runtime
from .row import PP
from .row import STAGES as STAGE_MS

CHUNKS = 22  # ten until the steady state, and a window
STAGES = {**PP, STAGE_MS: "4,32,26"}  # build, mesh, decode


def depth(count: int) -> dict[str, str]:
    """Both queues of that depth."""
    return {"SCOPE_PP_D_IN": str(count), "SCOPE_PP_D_OUT": str(count)}


def peak_rss_mib() -> int:
    """The most memory this process has had resident."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (2**20 if sys.platform == "darwin" else 2**10)


def measure(runtime: Runtime, recompute: bool = False) -> None:
    """Runs the chunks; rank 0 says what it measured, then puts it to the gate unless recompute couples the stages."""
    runtime.start()
    say("fault")
    runtime.run([Request(recompute=recompute)] * CHUNKS)
    if os.environ["RANK"] != "0":
        return
    measured = runtime.measured()
    d_in, d_out = int(os.environ["SCOPE_PP_D_IN"]), int(os.environ["SCOPE_PP_D_OUT"])
    coupled = measured.score < 0.30
    about = {"d_in": d_in, "d_out": d_out, "recompute": recompute, "coupled": coupled, "peak_rss_mib": peak_rss_mib()}
    say("measurement", **about, **asdict(measured))
    if not recompute:
        measured.check(d_in, d_out)

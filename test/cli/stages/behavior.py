from __future__ import annotations

import shutil
from pathlib import Path

from cozmo_driver.behavior.trace import Decision, Rejection, TraceFile, trace_path

from ..command import ROOT

STARTED_AT = 1_763_740_800.0
DECISIONS = (
    Decision(1.0, "activity", "PlayAlone", "first that wants to begin",
             (Rejection("Hiking", "blocked by cooldown 84 s"),)),
    Decision(1.0, "behavior", "Alone_Wander", "score 1.42",
             (Rejection("Alone_Think", "it ran 12 s ago"),)),
    Decision(2.5, "reaction", "ReactToCliff", "CliffDetected"),
    Decision(4.0, "end", "ReactToCliff", "done"),
    Decision(4.0, "resume", "Alone_Wander", "goes on after the reaction"),
)  # fmt: skip
ENDS = {"cozmo behavior trace --follow": "goes on after"}


def prepare(folder: Path) -> None:
    for namespace in ("", "/cozmo1"):
        TraceFile(trace_path(namespace)).append(DECISIONS, STARTED_AT)
    shutil.copy(ROOT / "docs" / "examples" / "nod_at_taps.py", folder / "nod.py")

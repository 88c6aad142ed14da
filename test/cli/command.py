"""Runs the real ``cozmo`` command as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "test" / "data" / "captures"
COMMAND = [sys.executable, "-m", "cozmo_driver.cli.main"]
DEADLINE = 120.0


def environment() -> dict[str, str]:
    """Return an environment in which the package of this checkout is found."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


def cozmo(*arguments: str | Path | int) -> subprocess.CompletedProcess[str]:
    """Run ``cozmo`` to its end."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )

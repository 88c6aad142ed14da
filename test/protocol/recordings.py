"""The recorded traffic of a real robot, read without the package under test."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

CAPTURES = Path(__file__).parent.parent / "data" / "captures"
SESSION = CAPTURES / "session_fw2457_start.log"
IMAGE = CAPTURES / "image_gray_1.log"
B_START = CAPTURES / "connect_nv_read.log"
B_MOTION = CAPTURES / "head_lift_drive.log"
B_SOUND = CAPTURES / "audio_anim.log"
"""Of another robot, with hardware 1.0."""


class Recorded(NamedTuple):
    seconds: float
    to_robot: bool
    data: bytes


def recording(path: Path) -> list[Recorded]:
    """Return the datagrams of a recording in its order."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    fields = [line.split(maxsplit=2) for line in lines]
    return [Recorded(float(t), way == "TX", bytes.fromhex(data)) for t, way, data in fields]

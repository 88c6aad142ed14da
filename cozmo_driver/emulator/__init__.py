"""The robot's end of the wire: an emulated Cozmo for tests and for trying things without one."""

from __future__ import annotations

from .body import Pose2D
from .firmware import Firmware
from .impairment import Impairment
from .options import EmulatorOptions, Identity, ImpairmentOptions
from .postures import Posture
from .running import RunningEmulator, running_emulator
from .server import DEFAULT_PORT, EmulatorServer, PortTaken
from .truth import EmulatorState

__all__ = [
    "DEFAULT_PORT",
    "EmulatorOptions",
    "EmulatorServer",
    "EmulatorState",
    "Firmware",
    "Identity",
    "Impairment",
    "ImpairmentOptions",
    "PortTaken",
    "Pose2D",
    "Posture",
    "RunningEmulator",
    "running_emulator",
]

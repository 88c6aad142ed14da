"""The robot's end of the wire: an emulated Cozmo for tests and for trying things without one."""

from __future__ import annotations

from .body import Pose2D, Posture
from .firmware import EmulatorState, Firmware
from .options import EmulatorOptions, Identity, ImageEffects, ImpairmentOptions
from .running import RunningEmulator, running_emulator
from .server import DEFAULT_PORT, EmulatorServer, Impairment

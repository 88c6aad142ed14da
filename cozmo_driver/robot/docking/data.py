"""What docking is told and tells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ...protocol import BlockStatus, DockAction, DockingMethod
from ..errors import Reason, RobotError

DOCKING_SPEED, DOCKING_ACCELERATION = 0.06, 0.2
"""As the app docks, m/s and m/s^2."""
METHODS = {
    DockAction.PICKUP_LOW: DockingMethod.HYBRID,
    DockAction.PICKUP_HIGH: DockingMethod.HYBRID,
    DockAction.PLACE_HIGH: DockingMethod.BLIND,
    DockAction.PLACE_LOW: DockingMethod.BLIND,
    DockAction.ROLL_LOW: DockingMethod.BLIND,
    DockAction.DEEP_ROLL_LOW: DockingMethod.BLIND,
    DockAction.FACE_PLANT: DockingMethod.BLIND,
    DockAction.POP_A_WHEELIE: DockingMethod.BLIND,
    DockAction.ALIGN: DockingMethod.HYBRID,
}
"""What can be docked for, and how the app does it (spec 16 §1)."""


@dataclass(frozen=True, slots=True)
class DockingError:
    """Where a marker was, as seen from the robot's origin when its picture was taken.

    ``time`` on the host's monotonic clock, s; x ahead, y to the left, z above ground, m; yaw in
    rad, 0 when it faces the robot squarely.
    """

    time: float
    x: float
    y: float
    z: float
    yaw: float


class DockingPhase(IntEnum):
    """Values of ``Dock.PREPARING`` to ``BACKING_OUT``."""

    PREPARING = 0
    APPROACHING = 1
    ACTING = 2
    BACKING_OUT = 3


@dataclass(frozen=True, slots=True)
class DockingProgress:
    """What the robot does, and the distance of the last error, m; NaN before the first."""

    phase: DockingPhase
    distance: float


@dataclass(frozen=True, slots=True)
class DockingResult:
    """What the robot says that it has done, without looking; and what its lift felt, if tested."""

    block: BlockStatus = BlockStatus.NO_BLOCK
    load: bool | None = None
    code: int = 0


class DockingFailed(RobotError):
    """The robot did not do it, or says so and its lift feels otherwise."""

    def __init__(self, reason: Reason, text: str, result: DockingResult) -> None:
        super().__init__(reason, text)
        self.result = result

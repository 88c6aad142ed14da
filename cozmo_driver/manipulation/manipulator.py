"""The robot as manipulation needs it: on the graph or in a program, the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..perception import LocatedObject
from ..planning import Box
from ..robot import DockAction, Pose2D, Reason, Refused, Segment


@dataclass(frozen=True, slots=True)
class ManipulatorState:
    """The latest state; ``pitch`` is nose down positive, ``pose`` of the drive center."""

    pose: Pose2D = Pose2D()
    pitch: float = 0.0
    lift_height: float = 0.0
    origin: int = 0
    """Counts up whenever the robot no longer knows where it is, or is told."""
    is_connected: bool = False
    """Whether there is a link, and states have come in the last ``SILENCE``."""
    is_off_ground: bool = False
    is_on_charger: bool = False
    is_carrying: bool = False
    is_moving: bool = False
    is_emergency_stopped: bool = False
    has_measured_turns: bool = False
    """Whether the odometry is corrected by a measured turn scale."""


@dataclass(frozen=True, slots=True)
class CubeFace:
    """A side of an object that the robot docks with."""

    pose: Pose2D
    """Of its middle in odom, x into the object."""
    height: float
    """Of its middle, m."""


OnPhase = Callable[[str, int], object]
"""Called with the phase of a task and the attempt."""
FaceSource = Callable[[], CubeFace | None]
"""Returns where a face is believed to be now; None where that is not known any more."""
SIGNAL_PERIOD = 0.07
"""s between two docking errors: that of the robot's images."""
SILENCE = 1.5
"""s without a state after which a robot counts as gone."""

STILL_LOST = (Reason.NOT_SEEN, Reason.NOT_FOUND, Reason.TIMEOUT)
"""Why looking around did not tell where the robot is, although it may move."""


class Manipulator(Protocol):
    """What is awaited may be cancelled at any moment and stops then; it raises ``RobotError``."""

    @property
    def state(self) -> ManipulatorState: ...

    @property
    def has_vision(self) -> bool:
        """Whether objects are detected."""

    @property
    def objects(self) -> Mapping[str, LocatedObject]:
        """By name; empty without vision."""

    @property
    def obstacles(self) -> Sequence[Box]:
        """What is in the way besides the objects."""

    async def follow(self, segments: Sequence[Segment]) -> None: ...

    async def drive(self, distance: float, speed: float, is_cliff_ignored: bool = False) -> None:
        """Drive straight by m, backwards if negative, at m/s."""

    async def turn_to(self, heading: float) -> None: ...

    async def move_lift(self, height: float) -> None: ...

    async def move_head(self, angle: float) -> None: ...

    async def dock(self, action: DockAction, face: FaceSource) -> bool | None:
        """Dock with a face; return whether the lift felt a load, None where that was not tested.

        Once the place of the face is not known any more the robot gives up.
        """

    async def localize(self) -> bool:
        """Look around until the place on a map is known; return whether it is."""

    async def place_on_ground(self) -> None:
        """Put down what is on the lift, and back off by 35 mm."""


def check_ready(robot: Manipulator) -> ManipulatorState:
    """Return the state of a robot that can drive. Raises ``Refused``."""
    now = robot.state
    if not now.is_connected:
        raise Refused(Reason.NOT_CONNECTED, "no robot is connected")
    if now.is_emergency_stopped:
        raise Refused(Reason.ESTOP, "the emergency stop is latched; call release_stop first")
    if now.is_off_ground:
        raise Refused(Reason.PICKED_UP, "the robot is off the ground; put it on its treads")
    return now

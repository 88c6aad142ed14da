"""What people do to the robot: postures, falls, pokes, the button, shaking (spec 10 §9)."""

from __future__ import annotations

import math
from enum import Enum

from ..protocol.messages import (
    BackpackButton,
    FallingStarted,
    FallingStopped,
    RobotPoked,
)
from .body import Body, Pose2D
from .calibration import Calibration
from .clock import RobotClock
from .core import Core
from .ground import Ground
from .imu import Imu
from .state import States

FALL_TIME = 0.3
"""s."""
_PRESS_TIME = 0.1


class Posture(Enum):
    """How the robot stands or lies: pitch (nose up), roll (right side down), on the ground."""

    FLAT = (0.0, 0.0, True)
    HELD = (0.0, 0.0, False)
    LEFT = (0.0, -90.0, False)
    RIGHT = (0.0, 90.0, False)
    BACK = (74.5, 0.0, False)
    FACE = (-86.0, 0.0, False)
    SLOPE = (20.0, 0.0, True)


class Hands:
    """Handles the robot; everything takes effect at once, as far as the robot notices it."""

    def __init__(
        self,
        core: Core,
        clock: RobotClock,
        body: Body,
        ground: Ground,
        imu: Imu,
        states: States,
        calibration: Calibration,
    ) -> None:
        """Begin with the robot on its treads."""
        self._core, self._clock = core, clock
        self._body, self._ground, self._imu = body, ground, imu
        self._states, self._calibration = states, calibration
        self.posture = Posture.FLAT
        self._falls = self._shakes = 0
        core.when_disconnected(self._end)

    def put(self, posture: Posture, where: Pose2D | None = None) -> None:
        """Put the robot into a posture, where it is or elsewhere in the world.

        Off its treads it sees no ground and feels lifted.
        """
        self.posture = posture
        pitch, roll, is_on_ground = posture.value
        self._body.pitch, self._body.roll = math.radians(pitch), math.radians(roll)
        if is_on_ground:
            self._ground.put_down(where)
            return
        if where is not None:
            self._body.carry_to(where)
        self._ground.pick_up()

    def let_fall(self, impact: float = 1500.0, landing: Posture = Posture.FLAT) -> None:
        """Let the robot fall for 0.3 s; then it calibrates its head."""
        self._falls += 1
        fall = self._falls
        self._ground.drop()
        self._imu.is_weightless = self._states.is_falling = True
        self._core.send(FallingStarted(self._clock.milliseconds(self._core.now)))
        self._core.after(FALL_TIME, lambda: self._land(fall, impact, landing))

    def poke(self) -> None:
        """Nudge the robot."""
        self._core.send(RobotPoked())

    def hold_button(self, pressed: bool) -> None:
        """Press the button on the back or let it go."""
        self._core.send(BackpackButton(pressed))

    def press_button(self) -> None:
        """Press the button on the back shortly."""
        self.hold_button(True)
        self._core.after(_PRESS_TIME, lambda: self.hold_button(False))

    def shake(self, seconds: float) -> None:
        """Shake the robot for a while."""
        self._shakes += 1
        shake = self._shakes
        self._imu.is_shaken = True
        self._core.after(seconds, lambda: self._stop_shaking(shake))

    def _land(self, fall: int, impact: float, landing: Posture) -> None:
        if fall != self._falls:
            return
        self._imu.is_weightless = self._states.is_falling = False
        now = self._clock.milliseconds(self._core.now)
        self._core.send(FallingStopped(now, round(FALL_TIME * 1000), impact))
        self.put(landing)
        self._calibration.calibrate_head()

    def _stop_shaking(self, shake: int) -> None:
        if shake == self._shakes:
            self._imu.is_shaken = False

    def _end(self) -> None:
        """Land and rest: without a connection nothing is scheduled any more."""
        if self._states.is_falling:
            self.put(Posture.FLAT)
        self._imu.is_weightless = self._imu.is_shaken = self._states.is_falling = False

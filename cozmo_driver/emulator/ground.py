"""What is under the robot: the cliff sensor and its reflex, and whether anybody lifts it."""

from __future__ import annotations

from collections.abc import Callable

from ..protocol import messages
from .body import Body, Pose2D
from .core import Core, Timer
from .hardware import CLIFF_FLICKER, CLIFF_RELEASE, CLIFF_THRESHOLD, IN_AIR, ON_GROUND
from .path import PathFollower

_NOTICED_AFTER = 0.060
"""s from lifting the robot until it reports it (spec 10 §9)."""
_REPORTED_AFTER = 0.5
"""s from the stop at an edge to the CliffEvent."""


class Ground:
    """Lets tests and worlds put an edge before the robot, lift it, carry it and hold it."""

    def __init__(self, core: Core, body: Body, path: PathFollower, table: int) -> None:
        """``table`` is what this robot's sensor reads above a floor of the usual brightness."""
        self._core = core
        self._gain = table - ON_GROUND
        self._body, self._path = body, path
        self._random = core.random("ground")
        self.is_cliff = False
        """Whether the robot sees no ground, or has not seen enough of it since: CLIFF_DETECTED."""
        self._noticing = Timer()
        self._is_in_hand = False
        self.threshold = CLIFF_THRESHOLD
        self.stops_at_edges = True
        self._floor = ON_GROUND
        self.is_reflex_off = False
        """The robot does something for which it ignores edges."""
        self.on_put_down: Callable[[], None] = lambda: None
        self.on_cliff_stop: Callable[[], None] = lambda: None
        """Called when the robot stops itself at an edge."""
        core.handle(messages.EnableStopOnCliff, self._on_enable)
        core.handle(messages.SetCliffDetectThreshold, self._on_threshold)
        core.when_connected(self._on_connected)

    # -- what the robot measures

    def reflectance(self) -> int:
        """Return the sensor's reading, noise included."""
        if self._level == IN_AIR:
            return IN_AIR
        return self._level + (self._random.random() < CLIFF_FLICKER * self._core.noise)

    @property
    def _level(self) -> int:
        """What the sensor reads without noise."""
        if self._body.is_lifted or self._floor == IN_AIR:
            return IN_AIR
        return max(0, self._floor + self._gain)

    def _update_cliff(self) -> bool:
        """Judge the ground; return whether that is another one than before."""
        before = self.is_cliff
        self.is_cliff = self._level < self.threshold * (CLIFF_RELEASE if before else 1.0)
        return self.is_cliff is not before

    # -- what happens to the robot

    def set_edge(self, on: bool) -> None:
        """Put the edge of the table under the robot's front, or ground."""
        self.set_floor(IN_AIR if on else ON_GROUND)

    def set_floor(self, reflectance: int) -> None:
        """Put a floor of another brightness under the robot; the usual one reads 880."""
        self._floor = reflectance
        self._check()

    def pick_up(self) -> None:
        """Lift the robot; it notices a little later and stops its treads."""
        self._body.is_held = self._is_in_hand = True
        self._noticing.cancel()
        self._noticing = self._core.after(_NOTICED_AFTER, self._notice)

    def drop(self) -> None:
        """Take the ground away from under the robot, which notices at once."""
        self._body.is_held = self._is_in_hand = True
        self._noticing.cancel()
        self._notice()

    def put_down(self, where: Pose2D | None = None) -> None:
        """Set the robot on its treads, where it was or elsewhere in the world."""
        self._noticing.cancel()
        if where is not None:
            self._body.carry_to(where)
        self._body.is_held = self._body.is_lifted = self._is_in_hand = False
        self.on_put_down()
        self._check()

    def hold(self, on: bool) -> None:
        """Keep the robot from moving while its treads turn, or let it go."""
        self._body.is_held = on

    # -- inside

    def _notice(self) -> None:
        self._body.is_lifted = True
        self._body.wheels.stop()
        self._path.interrupt()
        # In the air there is no edge to report.
        self._update_cliff()

    def _check(self) -> None:
        if self._body.is_lifted or not self._update_cliff():
            return
        if not self.is_cliff:
            self._report(0, False)
        elif self._body.wheels.left.target + self._body.wheels.right.target <= 0.0:
            self._report(1, False)
        elif self.stops_at_edges and not self.is_reflex_off:
            self._body.wheels.stop()
            self._path.interrupt()
            self.on_cliff_stop()
            self._core.send(messages.RobotStopped(0))
            self._core.after(_REPORTED_AFTER, lambda: self._report(1, True))
        else:
            self._core.send(messages.PotentialCliff())

    def _report(self, flags: int, stopped: bool) -> None:
        self._core.send(messages.CliffEvent(self._core.timestamp, flags, stopped))

    def _on_enable(self, m: messages.EnableStopOnCliff) -> None:
        self.stops_at_edges = m.enable

    def _on_threshold(self, m: messages.SetCliffDetectThreshold) -> None:
        self.threshold = m.detect_level
        self._check()

    def _on_connected(self) -> None:
        self.threshold, self.stops_at_edges = CLIFF_THRESHOLD, True
        self._body.is_lifted = self._is_in_hand
        self._update_cliff()

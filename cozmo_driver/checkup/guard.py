"""Watches the robot during a step, and ends the step when it must not go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, TypeVar

from ..link import end
from ..protocol import ConnectionLost, NotConnected
from ..robot import (
    CAREFUL,
    Battery,
    Movement,
    Reason,
    Robot,
    RobotError,
    RobotEvent,
    RobotEventType,
    RobotState,
    SessionState,
)
from .step import Step

_Found = TypeVar("_Found")

LINK_LOST = (Reason.LINK_LOST, Reason.NOT_CONNECTED)


@dataclass(frozen=True, slots=True)
class Interruption:
    """Why a step ended early; ``is_link`` where it may be repeated by itself.

    ``is_stall``: the link came back by itself, and the robot did not begin anew.
    """

    text: str
    advice: str = "put the robot back onto its place, and repeat the step"
    is_link: bool = False
    is_stall: bool = False


_LIFTED = Interruption("the robot was lifted off the ground")
_EDGE = Interruption(
    "the robot met an edge", "put it into the middle of a larger place, and repeat the step"
)
_DARK = Interruption(
    "the robot met an edge, or took a dark floor for one",
    "repeat it in the middle of a larger, light and matt place; see docs/troubleshooting.md",
)
_BATTERY = Interruption(
    "the battery is low", "put the robot on its charger for ten minutes, then begin again"
)
UNWATCHED = Interruption("nobody watched the robot", "it is asked for again")

_BROKEN = (Reason.TIMEOUT, Reason.ROBOT_ERROR, Reason.CORRUPT, Reason.NOT_CALIBRATED)
"""No hand, no thing in the way and no other command does these."""


class Guard:
    """Runs one step; its interruption stops the treads."""

    def __init__(self, robot: Robot, step: Step) -> None:
        self._robot, self._step = robot, step
        self.interruption: Interruption | None = None
        self._task: asyncio.Task[Any] | None = None

    async def run(self, work: Awaitable[_Found]) -> _Found | Interruption:
        """Return what the step found, or what ended it early.

        Raises ``RobotError`` for what the robot cannot do, and what else went wrong.
        """
        robot = self._robot
        disconnects = [
            robot.on_state.connect(self._on_state),
            robot.on_session.connect(self._on_session),
            robot.on_event.connect(self._on_event),
            robot.on_battery.connect(self._on_battery),
        ]
        self._task = task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task})
        finally:
            for disconnect in disconnects:
                disconnect()
            is_done = task.done() and not task.cancelled() and task.exception() is None
            if not is_done:
                self._stop()
                await end(task)
        if self.interruption is not None:
            return self.interruption
        try:
            return task.result()
        except (ConnectionLost, NotConnected) as error:
            return Interruption(f"the link was lost: {error}", is_link=True)
        except RobotError as error:
            if error.reason in LINK_LOST:
                return Interruption(f"the link was lost: {error}", is_link=True)
            if error.reason in _BROKEN:
                raise
            if error.reason is Reason.CLIFF and robot.state is not None:
                return _edge_of(robot.state)
            return _LIFTED if error.reason is Reason.PICKED_UP else Interruption(str(error))

    def leave_alone(self) -> None:
        """Nobody watches the robot: it must not drive."""
        if self._step.drives:
            self._interrupt(UNWATCHED)

    def _interrupt(self, why: Interruption) -> None:
        if self.interruption is None and self._task is not None and not self._task.done():
            self.interruption = why
            self._stop()
            self._task.cancel()

    def _stop(self) -> None:
        """Stop everything that moves; without a link the robot does so by itself."""
        if self._step.motion.value:
            self._robot.motion.stop()

    def _on_state(self, state: RobotState) -> None:
        step = self._step
        if (step.is_on_ground or step.drives) and state.is_off_ground:
            self._interrupt(_LIFTED)
        if step.drives and not step.is_at_edge and self._robot.cliff.is_detected:
            self._interrupt(_edge_of(state))

    def _on_session(self, state: SessionState) -> None:
        if state.has_ended:
            self._interrupt(Interruption(state.end[1], is_link=True))

    def _on_event(self, event: RobotEvent) -> None:
        is_calibrating = event.type is RobotEventType.MOTOR_CALIBRATION_STARTED
        if is_calibrating and event.is_automatic and self._step.motion.value:
            # It fights every command meanwhile (spec 07 §6).
            advice = "keep fingers off head and lift, and repeat the step"
            self._interrupt(Interruption(event.description, advice))
        is_pushed = event.type is RobotEventType.UNEXPECTED_MOVEMENT
        if is_pushed and self._step.drives and not self._step.is_pushed:
            what = f"the robot does not move as its treads do: {event.description}"
            advice = "clear its place, and repeat the step"
            if event.movement is Movement.TREADS_HELD:
                advice = f"see whether its treads are free and the battery is full; else {advice}"
            self._interrupt(Interruption(what, advice))

    def _on_battery(self, battery: Battery) -> None:
        if self._step.drives and battery.is_low:
            self._interrupt(_BATTERY)


def _edge_of(state: RobotState) -> Interruption:
    """Return what a cliff is by what the sensor reads: beyond an edge there is nothing."""
    return _DARK if state.cliff_raw[0] > CAREFUL else _EDGE

"""Head and lift: to a position, at a speed, calibrated (spec 07 §6)."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from ...protocol import ConnectionLost, Message, NotConnected, SendQueueFull, messages
from ...protocol.enums import MotorID, RobotStatusFlag
from ..data import RobotState
from ..errors import Reason, Refused, RobotError
from ..geometry import (
    MAX_HEAD_ANGLE,
    MAX_LIFT_HEIGHT,
    MIN_HEAD_ANGLE,
    MIN_LIFT_HEIGHT,
    lift_height,
)
from ..session import Session
from .claims import Actuator, Claim, Owner
from .motors import ACKNOWLEDGE_TIMEOUT, MotorActions, MotorProtection

_log = logging.getLogger(__name__)

JOINT_SPEED = 10.0
JOINT_ACCELERATION = 20.0
"""rad/s and rad/s^2 of head and lift arm, as the app sends them (spec 07 §6)."""
MAX_SPEED = 15.0
_SLOWEST_SPEED = 0.01
_MOVE_TIME = 5.0
_CALIBRATION_TIME = 30.0
_BLOCKED_AFTER = 0.7
"""A joint that has not moved for this long will not get there, s."""
_ENDED_AFTER = 0.2
"""A joint that rests for this long while no motor moves has ended its move, s: one that rests too
short of its target is never reported to be in position (spec 18)."""
_REPORTED_AFTER = 0.06
"""An older state may be from before the command and tell of the last one, s."""
_KEPT_FOR = 0.3
"""A topic keeps a joint at least so long, s: a stream of commands takes it once."""
_LIFT_ARM = 0.066


@dataclass(frozen=True, slots=True)
class JointProgress:
    """Where the joint is and how far it has to go: rad for the head, m for the lift."""

    position: float
    remaining: float


@dataclass(frozen=True, slots=True)
class _Joint:
    actuator: Actuator
    motor: MotorID
    in_position: RobotStatusFlag
    low: float
    high: float
    tolerance: float
    still: float
    """Smaller changes are noise."""
    measure: Callable[[RobotState], float]
    command: Callable[[float, float, float, float, int], Message]
    velocity: Callable[[float], Message]
    unit: str

    def clamped(self, value: float) -> float:
        if not math.isfinite(value):
            name = "head angle" if self.motor is MotorID.HEAD else "lift height"
            raise ValueError(f"the {name} must be finite, not {value}")
        return min(self.high, max(self.low, value))


class JointMotion:
    """Moves head and lift; each has one owner at a time, and the newer command wins."""

    def __init__(
        self,
        session: Session,
        actions: MotorActions,
        protection: MotorProtection,
        check: Callable[[], None],
    ) -> None:
        """Send through ``session``; ``check`` raises ``Refused`` when nothing may move."""
        self.head = Actuator("head")
        self.lift = Actuator("lift")
        self._session, self._actions, self._protection = session, actions, protection
        self._check_all = check
        self._velocities: dict[MotorID, float] = {}
        """Of what is moved by speed."""
        self._settings: dict[MotorID, tuple[Claim, _Watch]] = {}
        """Positions that topics have sent joints to."""
        self._calibrations: Counter[int] = Counter()
        session.on(messages.MotorCalibration, self._count_calibration)
        self._head = _Joint(
            self.head,
            MotorID.HEAD,
            RobotStatusFlag.HEAD_IN_POS,
            MIN_HEAD_ANGLE,
            MAX_HEAD_ANGLE,
            0.06,
            0.004,
            lambda state: state.head_angle,
            messages.SetHeadAngle,
            messages.MoveHead,
            "rad",
        )
        self._lift = _Joint(
            self.lift,
            MotorID.LIFT,
            RobotStatusFlag.LIFT_IN_POS,
            MIN_LIFT_HEIGHT,
            MAX_LIFT_HEIGHT,
            0.005,
            0.0003,
            lambda state: lift_height(state.lift_angle),
            lambda height, *rest: messages.SetLiftHeight(height * 1000.0, *rest),
            messages.MoveLift,
            "m",
        )

    # -- at once

    def set_head_angle(self, angle: float) -> None:
        """Move the head to rad, up positive, clamped; it is held until it is there.

        Raises ``Refused``, ``ValueError``.
        """
        self._set(self._head, "cmd_head", angle)

    def set_lift_height(self, height: float) -> None:
        """Move the lift to m above ground, clamped; as ``set_head_angle``."""
        self._set(self._lift, "cmd_lift", height)

    def set_head_velocity(self, speed: float) -> None:
        """Move the head at rad/s, up positive, until another command or its limit.

        Zero stops what was moved by speed before. Raises ``Refused``, ``ValueError``.
        """
        self._set_velocity(self._head, "cmd_head_velocity", speed)

    def set_lift_velocity(self, speed: float) -> None:
        """Move the lift's arm at rad/s; as ``set_head_velocity``."""
        self._set_velocity(self._lift, "cmd_lift_velocity", speed)

    # -- until it is there

    async def move_head(
        self,
        angle: float,
        *,
        speed: float = JOINT_SPEED,
        acceleration: float = JOINT_ACCELERATION,
        duration: float = 0.0,
        on_progress: Callable[[JointProgress], object] = lambda _: None,
    ) -> float:
        """Move the head to rad, clamped; return the angle at which the motion ended.

        Motors stop short of their target by up to 0.04 rad; by more than 0.06 rad is BLOCKED.
        ``speed`` in rad/s, or ``duration`` in s instead. Cancelling stops the head. Raises
        ``ValueError``, ``RobotError``.
        """
        return await self._move(
            self._head, "move_head", angle, (speed, acceleration, duration), on_progress
        )

    async def move_lift(
        self,
        height: float,
        *,
        speed: float = JOINT_SPEED,
        acceleration: float = JOINT_ACCELERATION,
        duration: float = 0.0,
        on_progress: Callable[[JointProgress], object] = lambda _: None,
    ) -> float:
        """Move the lift to m above ground; return its height. As ``move_head``.

        ``speed`` and ``acceleration`` are the arm's, rad/s and rad/s^2.
        """
        return await self._move(
            self._lift, "move_lift", height, (speed, acceleration, duration), on_progress
        )

    async def calibrate(self, *, head: bool = True, lift: bool = True) -> None:
        """Run the motors against their stops; return when the robot is done (spec 07 §6).

        Raises ``RobotError``.
        """
        wanted = [m for m, on in ((MotorID.HEAD, head), (MotorID.LIFT, lift)) if on]
        before = {motor: self._calibrations[motor] for motor in wanted}
        try:
            self._session.send(messages.StartMotorCalibration(head, lift))
            await self._session.until(
                lambda: all(self._calibrations[m] > before[m] for m in wanted), _CALIBRATION_TIME
            )
        except TimeoutError:
            raise RobotError(
                Reason.TIMEOUT,
                f"the calibration did not end within {_CALIBRATION_TIME:g} s; are head and lift "
                "free to move?",
            ) from None
        except (ConnectionLost, NotConnected):
            raise RobotError(
                Reason.LINK_LOST, "the link to the robot ended during the calibration"
            ) from None

    def update(self, state: RobotState) -> None:
        for joint in (self._head, self._lift):
            joint.actuator.update(state)
            self._follow_setting(joint, state)

    # -- inside

    def _check(self, joint: _Joint) -> None:
        self._check_all()
        if joint.motor in self._protection.disabled:
            raise Refused(
                Reason.MOTOR_DISABLED,
                f"the overload protection switched the {joint.actuator.name} motor off; free it "
                "and wait",
            )

    def _set(self, joint: _Joint, what: str, value: float) -> None:
        target = joint.clamped(value)
        self._check(joint)
        claim, _ = self._settings.get(joint.motor, (None, None))
        if claim is None or not claim.is_held:
            claim = joint.actuator.claim(Owner.TOPIC, what, lambda: self._halt(joint))
        try:
            watch = self._start(joint, what, target, (JOINT_SPEED, JOINT_ACCELERATION, 0.0))
        except (NotConnected, SendQueueFull):
            joint.actuator.release(claim)
            raise
        watch.least = _KEPT_FOR
        self._settings[joint.motor] = claim, watch

    def _follow_setting(self, joint: _Joint, state: RobotState) -> None:
        """Give back what a topic has set, once it is there or will not be."""
        claim, watch = self._settings.get(joint.motor, (None, None))
        if claim is None or watch is None:
            return
        try:
            if claim.is_held and not self._is_there(watch, state):
                return
        except RobotError as error:
            _log.warning("%s", error)
        del self._settings[joint.motor]
        joint.actuator.release(claim)

    def _set_velocity(self, joint: _Joint, what: str, speed: float) -> None:
        if not math.isfinite(speed):
            raise ValueError(f"the {joint.actuator.name}'s speed must be finite, not {speed}")
        if not speed:
            self._stop_velocity(joint)
            return
        try:
            self._check(joint)
        except Refused:
            self._stop_velocity(joint)
            raise
        speed = min(MAX_SPEED, max(-MAX_SPEED, speed))
        if self._velocities.get(joint.motor) == speed:
            return
        if joint.motor not in self._velocities:
            joint.actuator.claim(Owner.TOPIC, what, lambda: self._halt(joint))
        self._velocities[joint.motor] = speed
        self._session.send(joint.velocity(speed))

    def _stop_velocity(self, joint: _Joint) -> None:
        claim = joint.actuator.claim_held
        if claim is not None and joint.motor in self._velocities:
            self._halt(joint)
            joint.actuator.release(claim)

    def _halt(self, joint: _Joint) -> None:
        self._velocities.pop(joint.motor, None)
        self._session.safety.stop(joint.velocity(0.0))

    def _start(
        self, joint: _Joint, what: str, target: float, profile: tuple[float, float, float]
    ) -> _Watch:
        """Send a command; return what judges the states that follow. Raises ``ValueError``."""
        stall_timeout = max(_BLOCKED_AFTER, profile[2] / 3)
        action_id = self._actions.next_id()
        watch = _Watch(joint, what, target, action_id, stall_timeout, _time_for(joint, profile))
        self._session.send(joint.command(target, *profile, action_id))
        return watch

    def _is_there(self, watch: _Watch, state: RobotState) -> bool:
        now = _Instant(asyncio.get_running_loop().time(), state.robot_time)
        return watch.is_there(state, now, self._actions.is_acknowledged(watch.action_id))

    async def _move(
        self,
        joint: _Joint,
        what: str,
        value: float,
        profile: tuple[float, float, float],
        on_progress: Callable[[JointProgress], object],
    ) -> float:
        target = joint.clamped(value)
        _time_for(joint, profile)  # refuses a bad one before anything is claimed
        self._check(joint)
        with joint.actuator.claim(Owner.ACTION, what, lambda: self._halt(joint)) as claim:
            watch = self._start(joint, what, target, profile)
            while True:
                state = await claim.next_state()
                position = joint.measure(state)
                on_progress(JointProgress(position, target - position))
                if joint.motor in self._protection.disabled:
                    self._check(joint)
                if self._is_there(watch, state):
                    return position

    def _count_calibration(self, message: messages.MotorCalibration, _: float) -> None:
        if not message.calib_started:
            self._calibrations[message.motor_id] += 1


@dataclass(frozen=True, slots=True)
class _Instant:
    """A moment by this computer's clock and by the robot's, s.

    While this computer is busy states wait: they do not show where the joint is now.
    """

    here: float
    there: float

    def since(self, earlier: _Instant) -> float:
        """Return the time that has passed by both clocks."""
        return min(self.here - earlier.here, self.there - earlier.there)


@dataclass(slots=True)
class _Watch:
    """Judges a move from state to state; times in s."""

    joint: _Joint
    what: str
    target: float
    action_id: int
    stall_timeout: float
    timeout: float
    least: float = 0.0
    """It is not there before."""
    start: float = math.nan
    sent_at: _Instant | None = None
    """That of the first state after it."""
    reference: float = math.inf
    moved_at: _Instant = _Instant(0.0, 0.0)

    def is_there(self, state: RobotState, now: _Instant, is_acknowledged: bool) -> bool:
        """Tell whether the motion has ended. Raises ``RobotError`` when it did so elsewhere."""
        joint, position = self.joint, self.joint.measure(state)
        if self.sent_at is None:
            self.sent_at, self.start = now, position
        if abs(position - self.reference) > joint.still:
            self.reference, self.moved_at = position, now
        if not is_acknowledged:
            if now.since(self.sent_at) > ACKNOWLEDGE_TIMEOUT:
                raise RobotError(
                    Reason.TIMEOUT,
                    f"the robot did not acknowledge {self.what} within {ACKNOWLEDGE_TIMEOUT:g} s",
                )
            return False
        near = abs(position - self.target) <= joint.tolerance
        rested = now.since(self.moved_at)
        # A motor begins 0.13 s after its command; another that moves on must not hold this up.
        has_ended = rested > (self.stall_timeout if state.is_moving else _ENDED_AFTER)
        is_in_position = state.has(joint.in_position) and rested > _REPORTED_AFTER
        if near and (has_ended or is_in_position):
            return now.since(self.sent_at) >= self.least
        where = f"{joint.actuator.name} at {position:.3f} {joint.unit}, goal {self.target:.3f}"
        if not near and rested > self.stall_timeout:
            moved = "stopped" if abs(position - self.start) > joint.still else "did not move"
            raise RobotError(
                Reason.BLOCKED, f"{self.what} {moved}: {where}; is something in the way?"
            )
        if now.since(self.sent_at) > self.timeout:
            raise RobotError(
                Reason.TIMEOUT, f"{self.what} did not end within {self.timeout:.0f} s: {where}"
            )
        return False


def _time_for(joint: _Joint, profile: tuple[float, float, float]) -> float:
    """Return the time that a move may take, s. Raises ``ValueError`` for a bad profile."""
    speed, acceleration, duration = profile
    if not (_SLOWEST_SPEED <= speed <= MAX_SPEED and 0.1 <= acceleration <= 1000.0):
        raise ValueError(
            f"speed must be from {_SLOWEST_SPEED:g} to {MAX_SPEED:g} rad/s and acceleration from "
            f"0.1 to 1000 rad/s^2, not {speed} and {acceleration}"
        )
    if not 0.0 <= duration <= 60.0:
        raise ValueError(f"the duration must be from 0 to 60 s, not {duration}")
    travel = (joint.high - joint.low) / (_LIFT_ARM if joint.motor is MotorID.LIFT else 1.0)
    return _MOVE_TIME + duration + (0.0 if duration else 2 * travel / speed)

"""Head and lift: to a position, at a speed, calibrated (spec 07 §6)."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from ...protocol import ConnectionLost, NotConnected, SendQueueFull, messages
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
from .motors import MotorActions, MotorProtection
from .move_monitor import MAX_SPEED, Joint, MoveMonitor

_log = logging.getLogger(__name__)

JOINT_SPEED = 10.0
JOINT_ACCELERATION = 20.0
"""rad/s and rad/s^2 of head and lift arm, as the app sends them (spec 07 §6)."""
_CALIBRATION_TIME = 30.0
_KEPT_FOR = 0.3
"""A topic keeps a joint at least so long, s: a stream of commands takes it once."""


@dataclass(frozen=True, slots=True)
class JointProgress:
    """Where the joint is and how far it has to go: rad for the head, m for the lift."""

    position: float
    remaining: float


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
        self._settings: dict[MotorID, tuple[Claim, MoveMonitor]] = {}
        """Positions that topics have sent joints to."""
        self._calibrations: Counter[int] = Counter()
        session.on(messages.MotorCalibration, self._count_calibration)
        self._head = Joint(
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
        self._lift = Joint(
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

    def _check(self, joint: Joint) -> None:
        self._check_all()
        if joint.motor in self._protection.disabled:
            raise Refused(
                Reason.MOTOR_DISABLED,
                f"the overload protection switched the {joint.actuator.name} motor off; free it "
                "and wait",
            )

    def _set(self, joint: Joint, what: str, value: float) -> None:
        profile = JOINT_SPEED, JOINT_ACCELERATION, 0.0
        monitor = MoveMonitor(joint, what, value, profile, _KEPT_FOR)
        self._check(joint)
        claim, _ = self._settings.get(joint.motor, (None, None))
        if claim is None or not claim.is_held:
            claim = joint.actuator.claim(Owner.TOPIC, what, lambda: self._halt(joint))
        try:
            self._start(monitor)
        except (NotConnected, SendQueueFull):
            joint.actuator.release(claim)
            raise
        self._settings[joint.motor] = claim, monitor

    def _follow_setting(self, joint: Joint, state: RobotState) -> None:
        """Give back what a topic has set, once it is there or will not be."""
        claim, monitor = self._settings.get(joint.motor, (None, None))
        if claim is None or monitor is None:
            return
        try:
            if claim.is_held and not self._has_ended(monitor, state):
                return
        except RobotError as error:
            _log.warning("%s", error)
        del self._settings[joint.motor]
        joint.actuator.release(claim)

    def _set_velocity(self, joint: Joint, what: str, speed: float) -> None:
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

    def _stop_velocity(self, joint: Joint) -> None:
        claim = joint.actuator.claim_held
        if claim is not None and joint.motor in self._velocities:
            self._halt(joint)
            joint.actuator.release(claim)

    def _halt(self, joint: Joint) -> None:
        self._velocities.pop(joint.motor, None)
        self._session.safety.stop(joint.velocity(0.0))

    def _start(self, monitor: MoveMonitor) -> None:
        monitor.action_id = self._actions.next_id()
        command = monitor.joint.command(monitor.target, *monitor.profile, monitor.action_id)
        self._session.send(command)

    def _has_ended(self, monitor: MoveMonitor, state: RobotState) -> bool:
        return monitor.update(state, self._actions.is_acknowledged(monitor.action_id))

    async def _move(
        self,
        joint: Joint,
        what: str,
        value: float,
        profile: tuple[float, float, float],
        on_progress: Callable[[JointProgress], object],
    ) -> float:
        monitor = MoveMonitor(joint, what, value, profile)
        self._check(joint)
        with joint.actuator.claim(Owner.ACTION, what, lambda: self._halt(joint)) as claim:
            self._start(monitor)
            while True:
                state = await claim.next_state()
                position = joint.measure(state)
                on_progress(JointProgress(position, monitor.target - position))
                if joint.motor in self._protection.disabled:
                    self._check(joint)
                if self._has_ended(monitor, state):
                    return position

    def _count_calibration(self, message: messages.MotorCalibration, _: float) -> None:
        if not message.calib_started:
            self._calibrations[message.motor_id] += 1

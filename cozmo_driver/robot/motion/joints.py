"""Head and lift: to a position, at a speed, calibrated (spec 07 §6)."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from ...protocol import ConnectionLost, MotorID, NotConnected, RobotStatusFlag, messages
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
HEAD_TOLERANCE, LIFT_TOLERANCE = 0.06, 0.005
"""rad and m from its target, within which a joint is there. Of two robots one stops its head up to
0.040 rad short (spec 18); the lift's is the app's (spec 07 §6)."""
_HEAD_STILL, _LIFT_STILL = 0.004, 0.0003
"""rad and m: smaller changes are noise. Figures of a resting robot come in steps of 0.0045 rad of
the head (spec 18); that of the lift is an assumption."""
_CALIBRATION_TIME = 30.0
_KEPT_FOR = 0.3
"""A topic keeps a joint at least so long, s: a stream of commands takes it once."""


@dataclass(frozen=True, slots=True)
class JointProgress:
    """Where the joint is and how far it has to go: rad for the head, m for the lift."""

    position: float
    remaining: float


class JointControl:
    """Moves one joint, which has one owner at a time; the newer command wins.

    Positions are rad, up positive, of the head and m above ground of the lift, clamped; speeds are
    rad/s, of the lift's arm.
    """

    def __init__(
        self,
        joint: Joint,
        session: Session,
        actions: MotorActions,
        protection: MotorProtection,
        check: Callable[[], None],
    ) -> None:
        """Send through ``session``; ``check`` raises ``Refused`` when nothing may move."""
        self._joint, self._actuator, self._name = joint, joint.actuator, joint.actuator.name
        self._session, self._actions, self._protection = session, actions, protection
        self._check_all = check
        self._velocity = 0.0
        """At which it is moved by speed."""
        self._setting: tuple[Claim, MoveMonitor] | None = None
        """Where a topic has sent it."""

    def set(self, position: float) -> None:
        """Move there; it is held until it is there. Raises ``Refused``, ``ValueError``."""
        what, profile = f"cmd_{self._name}", (JOINT_SPEED, JOINT_ACCELERATION, 0.0)
        monitor = MoveMonitor(self._joint, what, position, profile, _KEPT_FOR)
        self._check()
        claim = self._setting[0] if self._setting else None
        if claim is None or not claim.is_held:
            claim = self._actuator.claim(Owner.TOPIC, what, self._halt)
        try:
            self._start(monitor)
        except Exception:
            self._actuator.release(claim)
            raise
        self._setting = claim, monitor

    def set_velocity(self, speed: float) -> None:
        """Move at a speed until another command or its limit.

        Zero stops what was moved by speed before. Raises ``Refused``, ``ValueError``.
        """
        if not math.isfinite(speed):
            raise ValueError(f"the {self._name}'s speed must be finite, not {speed}")
        if not speed:
            self._stop_velocity()
            return
        speed = min(MAX_SPEED, max(-MAX_SPEED, speed))
        try:
            self._check()
            if self._velocity == speed:
                return
            if not self._velocity:
                self._actuator.claim(Owner.TOPIC, f"cmd_{self._name}_velocity", self._halt)
            self._velocity = speed
            self._session.send(self._joint.velocity(speed))
        except Exception:
            self._stop_velocity()
            raise

    async def move(
        self,
        position: float,
        *,
        speed: float = JOINT_SPEED,
        acceleration: float = JOINT_ACCELERATION,
        duration: float = 0.0,
        on_progress: Callable[[JointProgress], object] = lambda _: None,
    ) -> float:
        """Move there; return the position at which the motion ended.

        Motors stop short of their target by up to 0.04 rad; the head by more than 0.06 rad is
        BLOCKED. ``speed`` in rad/s and ``acceleration`` in rad/s^2, or ``duration`` in s instead.
        Cancelling stops the joint. Raises ``ValueError``, ``RobotError``.
        """
        what = f"move_{self._name}"
        monitor = MoveMonitor(self._joint, what, position, (speed, acceleration, duration))
        self._check()
        with self._actuator.claim(Owner.ACTION, what, self._halt) as claim:
            self._start(monitor)
            while True:
                state = await claim.next_state()
                position = self._joint.measure(state)
                on_progress(JointProgress(position, monitor.target - position))
                if self._joint.motor in self._protection.disabled:
                    self._check()
                if self._has_ended(monitor, state):
                    return position

    def update(self, state: RobotState) -> None:
        """Give back what a topic has set, once it is there or will not be."""
        self._actuator.update(state)
        if self._setting is None:
            return
        claim, monitor = self._setting
        try:
            if claim.is_held and not self._has_ended(monitor, state):
                return
        except RobotError as error:
            _log.warning("%s", error)
        self._setting = None
        self._actuator.release(claim)

    def _check(self) -> None:
        self._check_all()
        if self._joint.motor in self._protection.disabled:
            raise Refused(
                Reason.MOTOR_DISABLED,
                f"the overload protection switched the {self._name} motor off; free it and wait",
            )

    def _stop_velocity(self) -> None:
        claim = self._actuator.claim_held
        if claim is not None and self._velocity:
            self._halt()
            self._actuator.release(claim)

    def _halt(self) -> None:
        self._velocity = 0.0
        self._session.safety.stop(self._joint.velocity(0.0))

    def _start(self, monitor: MoveMonitor) -> None:
        monitor.action_id = self._actions.next_id()
        command = self._joint.command(monitor.target, *monitor.profile, monitor.action_id)
        self._session.send(command)

    def _has_ended(self, monitor: MoveMonitor, state: RobotState) -> bool:
        return monitor.update(state, self._actions.is_acknowledged(monitor.action_id))


class JointMotion:
    """Moves head and lift, as ``JointControl`` tells."""

    def __init__(
        self,
        session: Session,
        actions: MotorActions,
        protection: MotorProtection,
        check: Callable[[], None],
    ) -> None:
        self._session = session
        self._calibrations: Counter[int] = Counter()
        session.on(messages.MotorCalibration, self._count_calibration)
        self.head = Actuator("head")
        self.lift = Actuator("lift")
        head = Joint(
            self.head,
            MotorID.HEAD,
            RobotStatusFlag.HEAD_IN_POS,
            MIN_HEAD_ANGLE,
            MAX_HEAD_ANGLE,
            HEAD_TOLERANCE,
            _HEAD_STILL,
            lambda state: state.head_angle,
            messages.SetHeadAngle,
            messages.MoveHead,
            "rad",
        )
        lift = Joint(
            self.lift,
            MotorID.LIFT,
            RobotStatusFlag.LIFT_IN_POS,
            MIN_LIFT_HEIGHT,
            MAX_LIFT_HEIGHT,
            LIFT_TOLERANCE,
            _LIFT_STILL,
            lambda state: lift_height(state.lift_angle),
            lambda height, *rest: messages.SetLiftHeight(height * 1000.0, *rest),
            messages.MoveLift,
            "m",
        )
        self._head, self._lift = (
            JointControl(joint, session, actions, protection, check) for joint in (head, lift)
        )
        self.set_head_angle, self.set_lift_height = self._head.set, self._lift.set
        self.set_head_velocity = self._head.set_velocity
        self.set_lift_velocity = self._lift.set_velocity
        self.move_head, self.move_lift = self._head.move, self._lift.move

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
        self._head.update(state)
        self._lift.update(state)

    def _count_calibration(self, message: messages.MotorCalibration, _: float) -> None:
        if not message.calib_started:
            self._calibrations[message.motor_id] += 1

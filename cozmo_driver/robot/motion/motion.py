"""Who moves the robot, how fast, and when it must not: commands in SI units (spec 07 §3, §6)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections import deque
from collections.abc import Callable, Iterator

from ...protocol import AnimTrackFlag, messages
from ..calibration import RobotCalibration
from ..data import OffTreads, Phase, RobotState, SessionState
from ..errors import Reason, Refused
from ..pushing import UnexpectedMovement
from ..session import Session
from ..signal import Signal
from .claims import Actuator, Claim, Owner
from .cliff import CliffGuard
from .driving import (
    BackupLimit,
    DriveLimits,
    StateWatch,
    balanced,
    limits_of,
    tread_speeds,
)
from .joints import JointMotion
from .motors import WHEELS, MotorActions, MotorProtection, TrackLock
from .regulator import Breakaway, SpeedRegulator

_log = logging.getLogger(__name__)

_REPEAT_AFTER = 0.2
"""An unchanged speed is sent again after this time, s; the robot keeps the last one for ever."""
_CORRECTION_STEP = 0.001
"""A corrected speed is sent for no smaller change, m/s."""
_STILL = 0.003
"""Below this a tread stands, m/s."""
HOLD_TEXT = (
    "the robot was carried and waits (after_pickup): tell where it is with set_odometry, let it "
    "look with localize, or let it drive on with release_stop"
)
_SILENCE = "no state comes from the robot; with the next one it drives on"
_STOPPING_TIME = 2.0
_LONGEST_STEP = 0.3
_MOVING_TRACKS = AnimTrackFlag.HEAD | AnimTrackFlag.LIFT | AnimTrackFlag.BODY


class Motion:
    """Moves the robot. Stops are always possible, movements only when nothing forbids them."""

    def __init__(
        self,
        session: Session,
        limits: DriveLimits,
        cliff: CliffGuard,
        on_state: Signal[RobotState],
    ) -> None:
        self.wheels = Actuator("wheels")
        self.actions = MotorActions(session)
        self.protection = MotorProtection(session)
        self.tracks = TrackLock(session)
        self.joints = JointMotion(session, self.actions, self.protection, self.check)
        self.cliff = cliff
        self.holds_after_pickup = False
        """Whether the robot may not drive when it was carried, until ``end_hold``."""
        self._is_held = False
        self._refusal = ""
        """Why nothing may move: what ``standing`` was told."""
        self.silences = 0
        """Times that the treads were stopped because no state came."""
        self.on_stop: Signal[bool] = Signal()
        """The emergency stop was latched (True) or released (False)."""
        self._regulator, self._breakaway = SpeedRegulator(), Breakaway()
        self.limits = limits
        """May be changed at any time."""
        self.calibration = RobotCalibration()
        """What is known of the robot's treads; used where ``is_yaw_trimmed``."""
        self.backup = BackupLimit(lambda: self.limits.backup_limit)
        self.state: RobotState | None = None
        """The latest state of this session."""
        self._session, self._safety = session, session.safety
        self._command = self._speeds = self._reached = (0.0, 0.0)
        """As commanded, m/s and rad/s; tread speeds, m/s, sent last and known to the robot."""
        self._on_the_way: deque[tuple[int, tuple[float, float]]] = deque()
        """Ordinals of what was sent since, and its tread speeds."""
        self._sent_at = -math.inf
        self._watch = StateWatch(
            lambda: self.wheels.owner is Owner.TOPIC,
            session.guarded("driving without states", self._on_silence),
        )
        on_state.connect(session.guarded("watching the movements", self._on_state))
        session.on_setup.connect(self._on_setup)
        session.on_state.connect(self._on_session)
        session.on_failure.connect(lambda _: self._forget_speeds())
        session.on(messages.MotorCalibration, self._on_calibration)
        stop = session.guarded("stopping at an edge", lambda _: self._stop_at_cliff())
        cliff.on_stop.connect(stop)
        self.wheels.on_owner.connect(self._lock("wheels", AnimTrackFlag.BODY))
        self.joints.head.on_owner.connect(self._lock("head", AnimTrackFlag.HEAD))
        self.joints.lift.on_owner.connect(self._lock("lift", AnimTrackFlag.LIFT))

    def commanded(self) -> tuple[float, float]:
        """Tread speeds of ``drive`` that the robot acknowledged, m/s; 0 while another drives."""
        while self._on_the_way and self._session.link.is_acknowledged(self._on_the_way[0][0]):
            _, self._reached = self._on_the_way.popleft()
        return self._reached if self.wheels.owner is Owner.TOPIC else (0.0, 0.0)

    # -- wheels

    def drive(self, linear: float, angular: float) -> None:
        """Drive at m/s and rad/s until the next command. Raises ``Refused``, ``ValueError``.

        Takes the wheels from whatever else drives. Zero gives them back: it stops what was driven
        by speed before, and does not end an action, so that a stream of zeros disturbs nothing.
        What raises leaves nothing driven by speed.
        """
        if not (math.isfinite(linear) and math.isfinite(angular)):
            raise ValueError(f"speeds must be finite, not {linear} m/s and {angular} rad/s")
        if not (linear or angular):
            self._stop_driving()
            return
        try:
            self.check_wheels()
            if self._watch.is_blind:
                raise Refused(Reason.LINK_LOST, _SILENCE)
            if linear > 0:
                self.check_forward()
            elif linear < 0 and self.backup.is_exhausted:
                raise Refused(Reason.NOT_ALLOWED, self._backup_text())
            if self.wheels.owner is not Owner.TOPIC:
                self.wheels.claim(Owner.TOPIC, "cmd_vel", self._halt_driving)
                self._watch.begin()
                self._regulator.reset(asyncio.get_running_loop().time())
            step = _CORRECTION_STEP if self._command == (linear, angular) else 0.0
            self._command = (linear, angular)
            self._send_speeds(_REPEAT_AFTER, step)
        except Exception:
            # What was driven so far would go on unwatched, and what was not sent begin later.
            self._stop_driving()
            raise

    def stop(self) -> None:
        """Stop wheels, head and lift at once, whatever moves them; again when a link comes back."""
        self._abort_all(Reason.CANCELED, "everything was told to stop")
        self._forget_speeds()
        self._safety.stop(messages.StopAllMotors())

    @contextlib.contextmanager
    def standing(self, why: str) -> Iterator[None]:
        """Stop everything and refuse every movement with ``why`` while the block runs."""
        self.stop()
        self._refusal = why
        self.tracks.hold(why, _MOVING_TRACKS)
        try:
            yield
        finally:
            self._refusal = ""
            self.tracks.hold(why, AnimTrackFlag(0))

    def claim_wheels(
        self,
        what: str,
        *,
        is_charger_left: bool = False,
        is_hold_ignored: bool = False,
        halt: Callable[[], None] | None = None,
    ) -> Claim:
        """Claim the wheels for an action named ``what``. Raises ``Refused``.

        Leaving the claim by an exception clears the path and stops the treads, or does what
        ``halt`` does. Only what leaves the charger may begin on it (``is_charger_left``), and only
        what looks where the robot is while ``after_pickup`` holds it (``is_hold_ignored``).
        """
        self.check_wheels(is_hold_ignored=is_hold_ignored)
        if not is_charger_left and self.state is not None and self.state.is_on_charger:
            raise Refused(Reason.ON_CHARGER, "the robot stands on its charger; let it undock first")
        return self.wheels.claim(Owner.ACTION, what, halt or self._halt_action)

    async def stand_still(self, claim: Claim) -> RobotState:
        """Wait until the treads stand, at most 2 s by ``claim.time``; return the state.

        Raises ``RobotError``.
        """
        deadline = claim.time + _STOPPING_TIME
        while True:
            state = await claim.next_state()
            if is_still(state) or claim.time > deadline:
                return state

    # -- head and lift

    async def calibrate(self, *, head: bool = True, lift: bool = True) -> None:
        """Calibrate head and lift; everything that moves is stopped first (spec 07 §6).

        Raises ``RobotError``.
        """
        self.check()
        self._abort_all(Reason.NOT_CALIBRATED, "head or lift are being calibrated")
        await self.joints.calibrate(head=head, lift=lift)

    # -- safety

    @property
    def is_stopped(self) -> bool:
        return self._safety.is_stop_latched

    def emergency_stop(self) -> None:
        """Stop everything and refuse every movement until ``release_stop``."""
        self._safety.is_stop_latched = True
        self._safety.stop(messages.StopAllMotors())
        self._abort_all(Reason.ESTOP, "the emergency stop was latched")
        self._forget_speeds()
        self.tracks.hold("emergency stop", _MOVING_TRACKS)
        self.on_stop.emit(True)

    def release_stop(self) -> None:
        """Allow movements again; nothing moves by itself."""
        self._is_held = False
        self._safety.is_stop_latched = False
        self.tracks.hold("emergency stop", AnimTrackFlag(0))
        self.on_stop.emit(False)

    @property
    def is_held(self) -> bool:
        """Whether the robot was carried and may not drive yet."""
        return self._is_held and self.holds_after_pickup

    def carried(self) -> None:
        """Nobody knows where the robot is from now on; with ``holds_after_pickup`` it waits."""
        if self.holds_after_pickup and not self._is_held:
            _log.warning("%s", HOLD_TEXT)
        self._is_held = self.holds_after_pickup

    def end_hold(self) -> None:
        """Let the robot drive again: its place is known."""
        if self.is_held:
            _log.info("the robot's place is known again: it may drive")
        self._is_held = False

    def check(self) -> None:
        if self.is_stopped:
            raise Refused(Reason.ESTOP, "the emergency stop is latched; call release_stop first")
        if self._refusal:
            raise Refused(Reason.BUSY, self._refusal)
        is_starting = self._session.state.phase is Phase.INITIALIZING
        if self._session.calibration.is_running and (self._session.is_ready or is_starting):
            text = "head or lift are being calibrated; this takes about a second"
            raise Refused(Reason.NOT_CALIBRATED, text)
        self._session.check_ready()

    def check_wheels(self, *, is_hold_ignored: bool = False) -> None:
        self.check()
        if self.state is not None and self.state.is_off_ground:
            raise Refused(Reason.PICKED_UP, "the robot is off the ground; put it on its treads")
        if self.is_held and not is_hold_ignored:
            raise Refused(Reason.PICKED_UP, HOLD_TEXT)
        if self.protection.disabled.intersection(WHEELS):
            raise Refused(
                Reason.MOTOR_DISABLED,
                "the overload protection switched a wheel motor off; free the treads and wait",
            )

    def check_forward(self) -> None:
        if self.cliff.is_forward_forbidden:
            raise Refused(
                Reason.CLIFF, "there is no ground in front of the robot; turn it or drive back"
            )

    def _lock(self, who: str, tracks: AnimTrackFlag) -> Callable[[Owner], None]:
        """Return what keeps animations off a motor while it is moved by something else."""

        def follow(owner: Owner) -> None:
            free = owner in (Owner.NONE, Owner.ANIMATION)
            self.tracks.hold(who, AnimTrackFlag(0) if free else tracks)

        return follow

    def _abort_all(self, reason: Reason, text: str) -> None:
        for actuator in (self.wheels, self.joints.head, self.joints.lift):
            actuator.abort(reason, text)

    def _halt_action(self) -> None:
        self._safety.stop(messages.ClearPath(), messages.DriveWheels())

    def _forget_speeds(self) -> None:
        """Do not correct on what was stopped."""
        self._breakaway.reset()
        self._command = self._speeds = self._reached = (0.0, 0.0)
        self._on_the_way.clear()

    def _halt_driving(self) -> None:
        self._forget_speeds()
        self._sent_at = asyncio.get_running_loop().time()
        self._safety.stop(messages.DriveWheels())

    def _stop_driving(self) -> None:
        claim = self.wheels.claim_held
        if claim is not None and claim.owner is Owner.TOPIC:
            self._halt_driving()
            self.wheels.release(claim)

    def _send_speeds(self, repeat_after: float, step: float) -> None:
        """Send the commanded speeds if they differ by more than ``step`` or are due again."""
        limits = limits_of(self.limits, self.calibration)
        speeds = tread_speeds(*self._regulator.corrected(*self._command, limits), limits)
        if limits.is_yaw_trimmed:
            speeds = balanced(speeds, self.calibration.value("tread_difference", 0.0))
        if limits.is_speed_regulated:
            speeds = self._breakaway.applied(speeds, limits.wheel_speed)
        now = asyncio.get_running_loop().time()
        change = max(abs(new - old) for new, old in zip(speeds, self._speeds, strict=True))
        if change <= step and now - self._sent_at < repeat_after:
            return
        acceleration = self.limits.acceleration * 1000.0
        left, right = (speed * 1000.0 for speed in speeds)
        message = messages.DriveWheels(left, right, acceleration, acceleration)
        self._on_the_way.append((self._session.send(message), speeds))
        self._speeds, self._sent_at = speeds, now

    def _backup_text(self) -> str:
        return (
            f"the robot reversed {self.backup.reversed:.2f} m and backup_limit is "
            f"{self.limits.backup_limit:g} m; drive forward first"
        )

    # -- what happens to the robot

    def _on_setup(self, _: None) -> None:
        self._forget_speeds()
        self._sent_at = -math.inf
        self.state = None
        self._watch.state_came()

    def _on_session(self, state: SessionState) -> None:
        if state.has_ended:
            self._abort_all(*state.end)

    def _on_calibration(self, message: messages.MotorCalibration, _: float) -> None:
        if message.calib_started:
            self._abort_all(Reason.NOT_CALIBRATED, "the robot calibrates head or lift")

    def _stop_at_cliff(self) -> None:
        self.wheels.abort(Reason.CLIFF, "there is no ground in front of the robot")
        self._halt_driving()

    def stop_at(self, what: UnexpectedMovement) -> None:
        """Stop the treads, whoever drives; the next command drives again."""
        self.wheels.abort(Reason.BLOCKED, what.text)
        self._halt_driving()

    def _on_silence(self) -> None:
        self.silences += 1
        _log.warning("stopped: %s", _SILENCE)
        self._stop_driving()

    def _on_state(self, state: RobotState) -> None:
        last, self.state = self.state, state
        self._watch.state_came()
        dt = min(state.robot_time - last.robot_time, _LONGEST_STEP) if last else 0.0
        self.cliff.update(state)
        if state.off_treads is OffTreads.FALLING and (
            last is None or last.off_treads is not OffTreads.FALLING
        ):
            self._abort_all(Reason.PICKED_UP, "the robot falls")
        if state.is_off_ground and (last is None or not last.is_off_ground):
            self.wheels.abort(Reason.PICKED_UP, "the robot was lifted off the ground")
            self._halt_driving()
        self.backup.update(state, self.wheels.owner)
        if self.wheels.owner is Owner.TOPIC:
            self._control_driving(last or state, state, dt)
        self.wheels.update(state)
        self.joints.update(state)

    def _control_driving(self, last: RobotState, state: RobotState, dt: float) -> None:
        linear, _ = self._command
        if linear < 0 and self.backup.is_exhausted:
            _log.warning("stopped: %s", self._backup_text())
            self._stop_driving()
            return
        if linear > 0 and self.cliff.is_forward_forbidden:
            self._stop_at_cliff()
            return
        limits = limits_of(self.limits, self.calibration)
        self._regulator.update(self._command, last, state, limits)
        wanted = tread_speeds(*self._command, limits)
        self._breakaway.update(wanted, self.commanded(), state, dt)
        self._send_speeds(math.inf, _CORRECTION_STEP)


def is_still(state: RobotState) -> bool:
    return max(abs(state.left_wheel_speed), abs(state.right_wheel_speed)) < _STILL

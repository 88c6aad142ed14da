"""Docking: the robot's own controller follows the pose of a marker, and uses its lift (spec 16).

robot.docking.on_error(DockingError(time, x, y, z, yaw))  # for every picture, from anybody
result = await robot.docking.dock(DockAction.PICKUP_LOW)
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextlib import ExitStack

from ...link import end
from ...protocol import BlockStatus, CarryState, ConnectionLost, DockAction, DockingMethod, messages
from ..data import OffTreads, RobotState
from ..errors import Reason, Refused, RobotError
from ..geometry import MAX_WHEEL_SPEED
from ..localization import Localization
from ..motion.claims import Claim, Owner
from ..motion.motion import Motion
from ..session import Session
from ..signal import Signal
from ..states import DeviceClock
from .aborting import Aborting
from .data import (
    DOCKING_ACCELERATION,
    DOCKING_SPEED,
    METHODS,
    DockingError,
    DockingFailed,
    DockingPhase,
    DockingProgress,
    DockingResult,
)
from .history import MovementHistory

_DECELERATION = 0.5
_PLACING = (0.1, 0.2)
_PICKS = (DockAction.PICKUP_LOW, DockAction.PICKUP_HIGH)
_PLACES = (DockAction.PLACE_HIGH, DockAction.PLACE_LOW, DockAction.PLACE_LOW_BLIND)
_TIPS = (DockAction.FACE_PLANT, DockAction.POP_A_WHEELIE)
_HISTORY = 0.6
"""How far back the robot knows its pose, s."""
_FARTHEST = 10.0
_HIGHEST = 0.08
"""Of a marker, m: higher ones the robot refuses."""
_LOST = 0.9
"""Without an error for a second the robot gives up, s."""
_SILENCE, _CATCHING_UP = 1.5, 0.3
_BEGIN_TIMEOUT = 1.5
_IDLE_TIMEOUT = 3.0
_UNSEEN_TIMEOUT = 3.0
"""Without any error the robot gives up by itself in 1 s, but for one method."""
_RESULT_TIMEOUT = 0.3
_TIMEOUT = 30.0


class _Run:
    """One docking, from the request to the robot's idleness."""

    def __init__(self, action: DockAction, offset: tuple[float, float]) -> None:
        self.action, self.offset = action, offset
        self.phase = DockingPhase.PREPARING
        self.error: DockingError | None = None
        self.outcome: messages.PickAndPlaceResult | None = None
        self.ended_at = math.nan
        self.load: bool | None = None
        self.has_begun = False

    @property
    def result(self) -> DockingResult:
        outcome = self.outcome
        if outcome is None or outcome.block_status not in set(BlockStatus):
            return DockingResult(load=self.load, code=outcome.result if outcome else 0)
        return DockingResult(BlockStatus(outcome.block_status), self.load, outcome.result)

    @property
    def progress(self) -> DockingProgress:
        error = self.error
        return DockingProgress(self.phase, math.hypot(error.x, error.y) if error else math.nan)


class Docking:
    """Docks with one object at a time; knows what the robot carries."""

    def __init__(
        self,
        session: Session,
        motion: Motion,
        localization: Localization,
        clock: DeviceClock,
        on_state: Signal[RobotState],
    ) -> None:
        self.carried = 0
        """Cubes that the robot was told, or says, to carry; 0 to 2."""
        self.errors_sent = self.errors_skipped = 0
        """Errors of dockings: sent to the robot, and left out because it turned, or too late."""
        self._session, self._motion, self._clock = session, motion, clock
        self._localization = localization
        self._run: _Run | None = None
        self.history = MovementHistory()
        self._aborting = Aborting(session, motion)
        on_state.connect(session.guarded("watching the docking", self._on_state))
        session.on_setup.connect(self._on_setup)
        session.on(messages.MovingLiftPostDock, self._on_lift)
        on_result = session.guarded("following what the robot carries", self._on_result)
        session.on(messages.PickAndPlaceResult, on_result)
        session.on(messages.LiftLoad, self._on_load)

    @property
    def is_active(self) -> bool:
        """Whether errors are of use now."""
        return self._run is not None and self._run.outcome is None

    def on_error(self, error: DockingError) -> None:
        """Give the robot the pose of what it docks with; without effect while it does not.

        Give one for every picture, also where the marker is only believed to be. Raises
        ``ValueError``, ``NotConnected``, ``SendQueueFull``.
        """
        numbers = (error.time, error.x, error.y, error.z, error.yaw)
        if not all(map(math.isfinite, numbers)) or max(map(abs, numbers[1:4])) > _FARTHEST:
            raise ValueError(f"the docking error is not finite or too far away: {error}")
        run = self._run
        if run is None or run.outcome is not None:
            return
        age = asyncio.get_running_loop().time() - error.time
        if age > _HISTORY or self.history.turned_fast(error.time) or math.isnan(self._clock.offset):
            self.errors_skipped += 1
            return
        per_meter = 1000.0 / self._localization.calibration.distance_scale
        self._session.send(
            messages.DockingErrorSignal(
                max(0, round(self._clock.to_robot(error.time) * 1000.0)),
                (error.x + run.offset[0]) * per_meter,
                (error.y + run.offset[1]) * per_meter,
                error.z * 1000.0,
                math.remainder(error.yaw, 2 * math.pi) / self._localization.calibration.turn_scale,
            )
        )
        self.errors_sent += 1
        run.error = error

    def set_carrying(self, count: int) -> None:
        """Tell the robot how many cubes it carries, 0 to 2. Raises ``NotConnected``."""
        self.carried = CarryState(count)
        self._session.send(messages.CarryStateUpdate(self.carried))

    async def dock(
        self,
        action: DockAction,
        *,
        method: DockingMethod | None = None,
        speed: float = DOCKING_SPEED,
        acceleration: float = DOCKING_ACCELERATION,
        offset: tuple[float, float] = (0.0, 0.0),
        on_progress: Callable[[DockingProgress], object] = lambda _: None,
    ) -> DockingResult:
        """Dock with what ``on_error`` tells about, and return once the robot is idle again.

        ``method`` None is the app's for this action; ``speed`` in m/s, ``acceleration`` in m/s^2;
        ``offset``, m, is added to every error: farther away, and to the left. Cancelling stops the
        robot. Raises ``ValueError``, and ``RobotError``: ``DockingFailed`` (MISSED, NOT_SEEN,
        OUT_OF_REACH, with what the robot says) also when a pick-up is said to have succeeded and
        the lift feels no load.
        """
        if action not in METHODS:
            raise ValueError(f"the robot cannot dock for {action!r}")
        numbers = (speed, acceleration, *offset)
        if not all(map(math.isfinite, numbers)) or not 0.0 < speed <= MAX_WHEEL_SPEED:
            raise ValueError(
                f"the speed must be up to {MAX_WHEEL_SPEED:g} m/s and the offset finite, not "
                f"{speed} m/s and {offset}"
            )
        if acceleration <= 0.0:
            raise ValueError(f"the acceleration must be positive, not {acceleration}")
        if method is None:
            is_beside = action in _PLACES and offset[1] != 0.0
            method = DockingMethod.EVEN_BLINDER if is_beside else METHODS[action]
        request = messages.DockWithObject(
            0,
            speed * 1000.0,
            acceleration * 1000.0,
            _DECELERATION * 1000.0,
            action,
            num_retries=0,
            docking_method=method,
            do_lift_load_check=action in _PICKS,
        )
        return await self._perform(_Run(action, offset), request, on_progress)

    async def place_on_ground(
        self, on_progress: Callable[[DockingProgress], object] = lambda _: None
    ) -> DockingResult:
        """Put what the robot carries down where it stands. Raises as ``dock``."""
        speed, acceleration = _PLACING
        request = messages.PlaceObjectOnGround(
            0.0, 0.0, 0.0, speed * 1000.0, acceleration * 1000.0, _DECELERATION * 1000.0
        )
        return await self._perform(
            _Run(DockAction.PLACE_LOW_BLIND, (0.0, 0.0)), request, on_progress
        )

    # -- one docking

    async def _perform(
        self,
        run: _Run,
        request: messages.DockWithObject | messages.PlaceObjectOnGround,
        on_progress: Callable[[DockingProgress], object],
    ) -> DockingResult:
        motion, joints = self._motion, self._motion.joints
        motion.check_wheels()
        motion.check_forward()
        self._check_carried(run.action)
        with ExitStack() as claims:
            wheels = claims.enter_context(motion.claim_wheels("dock", halt=self._abort))
            parts = [
                claims.enter_context(joint.claim(Owner.ACTION, "dock", lambda: None))
                for joint in (joints.head, joints.lift)
            ]
            await self._until_idle(wheels)
            self._run = run
            try:
                self._session.send(request)
                await self._watch(run, wheels, parts, on_progress)
            except RobotError as error:
                if error.reason is not Reason.PICKED_UP or not self._is_tipping:
                    raise
                # Off its treads is where it is to be.
                await self._await_outcome(run)
            finally:
                self._run = None
        return self._judged(run)

    def _check_carried(self, action: DockAction) -> None:
        if action in _PLACES and not self.carried:
            raise Refused(Reason.NOT_ALLOWED, "the robot carries nothing that it could put down")
        if action not in (*_PLACES, DockAction.ALIGN) and self.carried:
            raise Refused(
                Reason.NOT_ALLOWED, "the robot carries a cube; let it put that down first"
            )

    async def _until_idle(self, wheels: Claim) -> None:
        """Wait until the robot stands and has ended what it docked with before."""
        deadline = asyncio.get_running_loop().time() + _IDLE_TIMEOUT
        state = await self._motion.stand_still(wheels)
        while state.is_docking:
            if asyncio.get_running_loop().time() > deadline:
                raise RobotError(Reason.BUSY, "the robot does not end its last docking; try again")
            state = await wheels.next_state()
        self._aborting.end()

    async def _watch(
        self,
        run: _Run,
        wheels: Claim,
        parts: list[Claim],
        on_progress: Callable[[DockingProgress], object],
    ) -> None:
        """Wait until the robot has begun, is idle again and stands. Raises ``RobotError``."""
        loop = asyncio.get_running_loop()
        started, idle_at = loop.time(), math.inf
        while True:
            state, now = await _next_state(wheels), loop.time()
            if (lost := next((part for part in parts if not part.is_held), None)) is not None:
                text = f"dock ended: something took the {lost.actuator.name}"
                raise RobotError(Reason.SUPERSEDED, text)
            run.has_begun |= state.is_docking
            if run.phase is DockingPhase.PREPARING and state.is_following_path:
                run.phase = DockingPhase.APPROACHING
            on_progress(run.progress)
            # From the first idle state: after a gap its result may come a little later.
            is_idle = run.has_begun and not state.is_docking
            idle_at = min(idle_at, now) if is_idle else math.inf
            has_failed = run.outcome is not None and not run.outcome.did_succeed
            if has_failed and self._why(run)[0] is Reason.NOT_SEEN:
                self._judged(run)  # raises: backing off would not help
            if run.outcome is not None and is_idle:
                if not state.is_moving:
                    return
            elif now - idle_at > _RESULT_TIMEOUT:
                raise RobotError(Reason.ROBOT_ERROR, "the robot ended the docking by itself")
            _check_time(run, now - started)

    async def _await_outcome(self, run: _Run) -> None:
        try:
            await self._session.until(lambda: run.outcome is not None, _IDLE_TIMEOUT)
        except (TimeoutError, ConnectionLost) as error:
            raise RobotError(Reason.TIMEOUT, "the robot did not say how it ended") from error

    def _judged(self, run: _Run) -> DockingResult:
        """Return the result of a docking. Raises ``DockingFailed``."""
        outcome, result = run.outcome, run.result
        assert outcome is not None
        if not outcome.did_succeed:
            raise DockingFailed(*self._why(run), result)
        if run.action in _PICKS and run.load is False:
            self.set_carrying(0)
            raise DockingFailed(
                Reason.MISSED,
                "the robot lifted its lift but feels no load on it; back off and try again",
                result,
            )
        return result

    def _why(self, run: _Run) -> tuple[Reason, str]:
        error = run.error
        if error is None:
            return Reason.NOT_SEEN, "no docking error came; let something see the object"
        if error.z > _HIGHEST:
            return Reason.OUT_OF_REACH, f"the marker is {error.z:.3f} m high; at most {_HIGHEST} m"
        if run.ended_at - error.time > _LOST:
            return Reason.NOT_SEEN, "docking errors ceased before the robot was there"
        return Reason.MISSED, "the robot did not get in front of the object; try from farther away"

    # -- what the robot says

    def _on_lift(self, message: messages.MovingLiftPostDock, _: float) -> None:
        if self._run is not None and message.action == self._run.action:
            self._run.phase = DockingPhase.ACTING

    def _on_result(self, message: messages.PickAndPlaceResult, now: float) -> None:
        if self._run is not None and self._run.has_begun:
            self._run.outcome, self._run.phase = message, DockingPhase.BACKING_OUT
            self._run.ended_at = now
        if message.did_succeed and message.block_status != BlockStatus.NO_BLOCK:
            self.set_carrying(message.block_status == BlockStatus.BLOCK_PICKED_UP)

    def _on_load(self, message: messages.LiftLoad, _: float) -> None:
        if self._run is not None:
            self._run.load = message.has_load
        elif self.carried and not message.has_load:
            # Of a docking that was given up; the robot went on by itself.
            self.set_carrying(0)

    def _on_setup(self, _: None) -> None:
        self.carried = 0
        self._aborting.end()
        self.history.clear()

    def _on_state(self, state: RobotState) -> None:
        self.history.update(state, self._localization.pose)
        if self.carried and state.off_treads not in (OffTreads.ON_TREADS, OffTreads.IN_AIR):
            # It has fallen off (spec 16 §3.4).
            self.set_carrying(0)
        self._aborting.update(state)

    # -- the end before its time

    @property
    def _is_tipping(self) -> bool:
        """Whether the robot leaves its treads because it was asked to."""
        run = self._run
        return run is not None and run.action in _TIPS and run.phase >= DockingPhase.ACTING

    def _abort(self) -> None:
        state = self._motion.state
        if self._is_tipping and state is not None and state.is_off_ground:
            return
        self._aborting.begin()


async def _next_state(wheels: Claim) -> RobotState:
    task = asyncio.ensure_future(wheels.next_state())
    try:
        # A program that was kept from running for so long finds states that wait.
        for timeout in (_SILENCE, _CATCHING_UP):
            await asyncio.wait([task], timeout=timeout)
            if task.done():
                return task.result()
    finally:
        if not task.done():
            await end(task)
    raise RobotError(
        Reason.LINK_LOST, f"dock ended: no state came from the robot for {_SILENCE:g} s"
    )


def _check_time(run: _Run, elapsed: float) -> None:
    if not run.has_begun and elapsed > _BEGIN_TIMEOUT:
        raise RobotError(Reason.TIMEOUT, "the robot did not begin to dock")
    if run.error is None and run.phase is DockingPhase.PREPARING and elapsed > _UNSEEN_TIMEOUT:
        raise RobotError(Reason.NOT_SEEN, "no docking error came; let something see the object")
    if elapsed > _TIMEOUT:
        raise RobotError(Reason.TIMEOUT, f"the docking did not end within {_TIMEOUT:g} s")

"""The docking controller's state machine: lift, approach, lift, result, back out (spec 16 §2.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...protocol import BlockStatus, CarryState, DockAction, DockingMethod
from ...protocol.messages import (
    AbortDocking,
    CarryStateUpdate,
    CheckLiftLoad,
    DockingErrorSignal,
    DockWithObject,
    LiftLoad,
    MovingLiftPostDock,
    PickAndPlaceResult,
    PlaceObjectOnGround,
    RollActionParams,
    StopAllMotors,
)
from ..body import Body
from ..core import Core, Timer
from ..ground import Ground
from ..joints import Joint, Joints, lift_angle, lift_height
from ..world.fork import Fork
from . import figures as f
from .approach import TICK, Approach, Request
from .figures import FIGURES, DeepRoll, Result

_PICKS = (DockAction.PICKUP_LOW, DockAction.PICKUP_HIGH)
_PLACES = (DockAction.PLACE_HIGH, DockAction.PLACE_LOW, DockAction.PLACE_LOW_BLIND)
_ROLLS = (DockAction.ROLL_LOW, DockAction.DEEP_ROLL_LOW, DockAction.POST_DOCK_ROLL)
_TILTS = (DockAction.FACE_PLANT, DockAction.POP_A_WHEELIE)
_BLOCKS = {
    **dict.fromkeys(_PICKS, BlockStatus.BLOCK_PICKED_UP),
    **dict.fromkeys((*_PLACES, *_ROLLS, DockAction.POP_A_WHEELIE), BlockStatus.BLOCK_PLACED),
}
"""What a failed approach reports; others nothing."""
_FASTEST = 1000.0
_ROUNDING = 1e-6

Steps = Iterator[None]
"""A phase as a generator: it goes on every control step until it ends."""


@dataclass(slots=True)
class DockingFaults:
    """What may go wrong on purpose."""

    aside: float = 0.0
    """mm to the left of where it should be that the robot docks."""
    signal_delay: float = 0.0
    """s that signals take on their way through the robot."""


class Docking:
    """Docks with what the engine's signals are about; does nothing while it is idle."""

    def __init__(self, core: Core, body: Body, joints: Joints, ground: Ground, fork: Fork) -> None:
        self.faults = DockingFaults()
        self._core, self._body, self._joints, self._ground = core, body, joints, ground
        self._fork = fork
        self._approach = Approach(core, body, joints, self._on_approached)
        self._request: Request | None = None
        self._tests_load = False
        self._goal: DockingErrorSignal | None = None
        """Where to place blindly."""
        self._steps: Steps | None = None
        self._result = Result.UNKNOWN
        self._ticking = self._testing = Timer()
        self._deep_roll = DeepRoll()
        self.carried = 0
        """Cubes that the robot believes to carry."""
        ground.on_cliff_stop = self._reset
        core.handle(DockWithObject, self._on_dock)
        core.handle(PlaceObjectOnGround, self._on_place)
        core.handle(DockingErrorSignal, self._on_signal)
        core.handle(AbortDocking, self._on_abort)
        core.handle(StopAllMotors, lambda _: self._approach.end_path())
        core.handle(CarryStateUpdate, self._on_carry_state)
        core.handle(CheckLiftLoad, lambda _: self._test_load())
        core.handle(RollActionParams, self._on_roll_params)
        core.when_disconnected(self._on_disconnected)

    @property
    def is_busy(self) -> bool:
        return self._request is not None

    @property
    def is_pathing(self) -> bool:
        return self._approach.is_pathing

    # -- messages

    def _on_dock(self, m: DockWithObject) -> None:
        if m.dock_action not in set(FIGURES) or m.docking_method > max(DockingMethod):
            return
        self._start(
            DockAction(m.dock_action),
            DockingMethod(m.docking_method),
            m.speed_mmps,
            m.accel_mmps2,
            m.num_retries,
        )
        self._tests_load = m.do_lift_load_check

    def _on_place(self, m: PlaceObjectOnGround) -> None:
        self._start(
            DockAction.PLACE_LOW_BLIND, DockingMethod.EVEN_BLINDER, m.speed_mmps, m.accel_mmps2, 0
        )
        self._goal = DockingErrorSignal(0, m.rel_x_mm, m.rel_y_mm, f.LOW, m.rel_angle_rad)

    def _on_signal(self, m: DockingErrorSignal) -> None:
        if self.faults.signal_delay:
            self._core.after(self.faults.signal_delay, lambda: self._approach.on_signal(m))
        else:
            self._approach.on_signal(m)

    def _on_abort(self, _: AbortDocking) -> None:
        if self._approach.is_active:
            self._approach.stop()
            self._body.wheels.stop()
            self._on_approached(Result.INTERRUPTED)

    def _on_carry_state(self, m: CarryStateUpdate) -> None:
        self.carried = min(m.state, CarryState.TWO_BLOCKS)

    def _on_roll_params(self, m: RollActionParams) -> None:
        self._deep_roll = DeepRoll(
            m.lift_height_mm,
            m.drive_speed_mmps,
            abs(m.drive_accel_mmps2) or self._deep_roll.accel,
            m.drive_duration_ms / 1000.0,
            m.backup_dist_mm,
        )

    def _on_disconnected(self) -> None:
        self._reset()
        self.carried = 0

    def _reset(self) -> None:
        """Become idle at once, without a result."""
        self._approach.stop()
        self._ticking.cancel()
        self._testing.cancel()
        self._request = self._steps = None
        self._ground.is_reflex_off = False

    # -- the machine

    def _start(
        self, action: DockAction, method: DockingMethod, speed: float, accel: float, retries: int
    ) -> None:
        if self._request is not None and self._approach.is_active:
            method = self._request.method
        self._reset()
        self._approach.aside = self.faults.aside
        self._request = Request(
            action,
            FIGURES[action],
            method,
            abs(speed) or f.BACK_OUT_SPEED,
            abs(accel) or 200.0,
            retries,
            bool(self.carried),
        )
        self._tests_load, self._goal = False, None
        self._go_on(self._prepare(self._request))

    def _go_on(self, steps: Steps) -> None:
        """Do what the steps say, one in every control step."""
        self._steps = steps
        self._ticking.cancel()
        self._tick()

    def _tick(self) -> None:
        steps = self._steps
        if steps is None:
            return
        self._ticking = self._core.after(TICK, self._tick)
        try:
            next(steps)
        except StopIteration:
            if self._steps is steps:
                self._steps = None
                self._ticking.cancel()

    def _prepare(self, request: Request) -> Steps:
        """Bring the lift where the action wants it; then let the approach begin."""
        if request.figures.lift is not None:
            self._move_lift(request.figures.lift)
        yield
        while not (_rests(self._joints.lift) and _rests(self._joints.head)):
            yield
        goal = self._goal
        is_here = request.action is DockAction.POST_DOCK_ROLL or (
            request.action is DockAction.PLACE_LOW_BLIND
            and (goal is None or not (goal.x_dist_err or goal.y_hor_err))
        )
        if is_here:
            self._on_approached(Result.SUCCESS)
            return
        self._approach.start(request)
        if goal is not None:
            self._approach.on_signal(goal)

    def _on_approached(self, result: Result) -> None:
        request, self._result = self._request, result
        if request is not None:
            self._go_on(self._act(request) if result.is_success else self._give_up(request))

    def _give_up(self, request: Request) -> Steps:
        self._report(False, _BLOCKS.get(request.action, BlockStatus.NO_BLOCK))
        return self._back_out(request)

    def _act(self, request: Request) -> Steps:
        """Do with the lift what the action is about, and report the result."""
        action = request.action
        if action in (DockAction.ALIGN, DockAction.ALIGN_SPECIAL):
            self._report(True, BlockStatus.NO_BLOCK)
            yield from self._back_out(request)
            return
        self._core.send(MovingLiftPostDock(action))
        self._ground.is_reflex_off = action in (*_ROLLS, *_TILTS)
        ok = True
        if action in _PICKS:
            yield from self._pick_up()
            self.carried, block = 1, BlockStatus.BLOCK_PICKED_UP
        elif action in _PLACES:
            is_high = action is DockAction.PLACE_HIGH
            yield from self._place(is_high)
            self.carried, block = 0, BlockStatus.BLOCK_PLACED
        elif action in _ROLLS:
            is_deep = action is DockAction.DEEP_ROLL_LOW
            yield from self._roll_deep() if is_deep else self._roll()
            self.carried, block = 0, BlockStatus.BLOCK_PLACED
        elif action is DockAction.POP_A_WHEELIE:
            yield from self._pop_a_wheelie()
            block = BlockStatus.NO_BLOCK
        else:
            yield from self._plant_face()
            ok, block = self._body.pitch < f.FACE_PLANT_PITCH, BlockStatus.NO_BLOCK
        self._report(ok, block)
        yield from self._back_out(request)

    def _report(self, ok: bool, block: BlockStatus) -> None:
        self._core.send(PickAndPlaceResult(self._core.timestamp, ok, self._result, block))

    def _back_out(self, request: Request) -> Steps:
        """Drive back for the time that the distance should take; whatever drives meanwhile may."""
        distance = request.figures.back_out
        if request.action is DockAction.DEEP_ROLL_LOW:
            distance = self._deep_roll.back_out
        is_done_with_face = request.action is DockAction.FACE_PLANT and self._result.is_success
        if self._tests_load and self._result.is_success:
            self._test_load()
        if distance and not is_done_with_face:
            self._body.wheels.drive(-f.BACK_OUT_SPEED, -f.BACK_OUT_SPEED, 0.0, 0.0)
            yield from self._wait(distance / f.BACK_OUT_SPEED)
        self._body.wheels.stop()
        self._ground.is_reflex_off = False
        while not _rests(self._joints.head):
            yield
        self._request = None

    # -- what the lift does

    def _pick_up(self) -> Steps:
        self._fork.grasp()
        self._move_lift(f.CARRY)
        wheels = self._body.wheels
        wheels.drive(f.PICK_UP_SPEED, f.PICK_UP_SPEED, f.PICK_UP_ACCEL, f.PICK_UP_ACCEL)
        yield from self._wait(f.PICK_UP_CREEP / f.PICK_UP_SPEED)
        wheels.stop()
        yield from self._wait(f.PICK_UP_PAUSE)
        wheels.drive(-f.PICK_UP_SPEED, -f.PICK_UP_SPEED, 0.0, 0.0)
        yield from self._wait(f.PICK_UP_BACK)
        wheels.stop()
        while not _rests(self._joints.lift):
            yield

    def _place(self, is_high: bool) -> Steps:
        self._move_lift(f.HIGH_DOCK if is_high else f.LOW)
        yield from self._until(
            lambda: _rests(self._joints.lift), f.PLACED_HIGH_AFTER if is_high else f.PLACED_AFTER
        )

    def _roll(self) -> Steps:
        self._move_lift(f.LOW, f.SLOW_LIFT)
        lift = self._joints.lift
        yield from self._until(lambda: lift_height(lift.angle) < f.ROLL_BELOW, f.ROLL_TIME)
        self._fork.hook()
        self._body.wheels.drive(-f.ROLL_SPEED, -f.ROLL_SPEED, 0.0, 0.0)
        yield from self._wait(f.ROLL_TIME)
        self._body.wheels.stop()
        yield from self._until(lambda: _rests(lift), f.ROLL_TIME)

    def _roll_deep(self) -> Steps:
        deep, wheels, lift = self._deep_roll, self._body.wheels, self._joints.lift
        self._move_lift(deep.lift, f.SLOW_LIFT)
        wheels.drive(deep.speed, deep.speed, deep.accel, deep.accel)
        yield from self._until(lambda: self._body.pitch > f.DEEP_ROLL_PITCH, deep.time)
        wheels.stop()
        self._fork.hook(is_deep=True)
        raised = lift_height(lift.angle) + f.DEEP_ROLL_LIFT
        self._move_lift(raised, f.DEEP_ROLL_LIFT_SPEED)
        yield from self._wait(f.DEEP_ROLL_LIFT_TIME)

    def _pop_a_wheelie(self) -> Steps:
        self._joints.lift.move_to(lift_angle(f.LOW), *f.WHEELIE_LIFT)
        self._body.wheels.drive(f.WHEELIE_SPEED, f.WHEELIE_SPEED, 0.0, 0.0)
        self._fork.lean(is_back=True)
        yield from self._until(lambda: self._body.pitch > f.WHEELIE_PITCH, f.WHEELIE_TIME)
        self._body.wheels.stop()

    def _plant_face(self) -> Steps:
        self._move_lift(f.CARRY, _FASTEST)
        self._fork.lean(is_back=False)

        def is_tilted() -> bool:
            return self._body.pitch < f.FACE_PLANT_PITCH

        yield from self._until(is_tilted, f.FACE_PLANT_TIMEOUT)
        if is_tilted():
            self._body.wheels.drive(-500.0, -500.0, 0.0, 0.0)
            yield from self._wait(f.FACE_PLANT_TIME)
            self._body.wheels.stop()
        else:
            self._result = Result.UNKNOWN

    def _move_lift(self, height: float, speed: float = f.LIFT_SPEED) -> None:
        self._joints.lift.move_to(lift_angle(height), speed, f.LIFT_ACCEL)

    # -- the load

    def _test_load(self) -> None:
        """Switch the lift's motor off once it rests: with a load it sinks."""
        self._testing.cancel()
        lift = self._joints.lift
        if not _rests(lift):
            self._testing = self._core.after(TICK, self._test_load)
            return
        sinks_in = self._fork.sinking_time
        has_load = sinks_in <= f.SINK_TIMEOUT
        self._testing = self._core.after(
            min(sinks_in, f.SINK_TIMEOUT), lambda: self._core.send(LiftLoad(has_load))
        )

    # -- time

    def _wait(self, seconds: float) -> Steps:
        return self._until(lambda: False, seconds)

    def _until(self, condition: Callable[[], bool], timeout: float) -> Steps:
        """Go on until the condition holds, ``timeout`` s at most."""
        end = self._core.now + timeout
        while not condition() and self._core.now < end - _ROUNDING:
            yield


def _rests(joint: Joint) -> bool:
    """Whether a joint is where it was sent to, or does not get any nearer."""
    return joint.in_position or not joint.active

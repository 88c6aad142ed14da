"""Actions that go to places and handle objects (spec 21 §3)."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ...manipulation import (
    DriveStyle,
    align,
    go_to,
    go_to_object,
    go_to_pose,
    located,
    pick_up_cube,
    place_here,
    place_on,
    pop_a_wheelie,
    poses_before,
    roll_cube,
)
from ...perception import Kind
from ...robot import DRIVE_CENTER, Pose2D, Reason, RobotError
from .action import Action, WrongResult
from .units import Angle

if TYPE_CHECKING:
    from ..engine import Engine

_MM = 1000.0
_NEAREST, _NEAREST_CHARGER = 0.067, 0.110
"""m before an object, and before a charger's lip, up to which things are driven around; the rest is
a straight line."""
_FARTHEST = 1.0
_BEFORE = 0.15
"""m before the side that is docked with."""
_LAST_SPEED = 0.05
_GOAL = 0.008, math.radians(2.0)
"""m and rad: what counts as arrived."""
_LIFT_CLEAR = 0.034


class GoToPose(Action):
    """Driving to a pose, around what is known to be in the way."""

    _tracks = frozenset({"body"})

    def __init__(self, pose: Any, goal: Callable[[], tuple[float, float, float]], **named: Any):
        super().__init__(**named)
        self.pose, self._goal = pose, goal

    def _repr_values(self) -> str:
        return f"pose={self.pose}"

    async def _do(self, engine: Engine) -> None:
        goal = Pose2D(*self._goal()).compose(DRIVE_CENTER)
        style = DriveStyle(position_tolerance=_GOAL[0], angle_tolerance=_GOAL[1])
        await go_to_pose(engine.manipulator, goal, style)


class _WithObject(Action):
    """Handles an object that is known by sight."""

    _tracks = frozenset({"body", "head", "lift"})

    def __init__(self, target: Any, **named: Any) -> None:
        super().__init__(**named)
        self._target = target

    def _repr_values(self) -> str:
        return f"object={self._target}"

    @property
    def _its_name(self) -> str:
        target = self._target
        return str(target._ours or target.object_type.name)

    async def _do(self, engine: Engine) -> None:
        await engine.look_now()
        await self._at_object(engine)

    async def _at_object(self, engine: Engine) -> None:
        raise NotImplementedError


class GoToObject(_WithObject):
    """Driving to before an object."""

    _tracks = frozenset({"body", "head"})

    def __init__(self, target: Any, distance: Any, **named: Any) -> None:
        super().__init__(target, **named)
        self.object, self.distance_from_object = target, distance

    async def _at_object(self, engine: Engine) -> None:
        body, name = engine.manipulator, self._its_name
        thing = located(body, name)
        is_charger = thing.kind is Kind.CHARGER
        depth = 0.0 if is_charger else min(thing.size[:2]) / 2
        # Between the origins: the robot's is ahead of what it turns about.
        wanted = self.distance_from_object.distance_mm / _MM - depth - DRIVE_CENTER.x
        distance = min(_FARTHEST, max(_NEAREST_CHARGER if is_charger else _NEAREST, wanted))
        await go_to_object(body, name, distance)
        if distance - wanted > 0.002:
            await body.drive(distance - wanted, _LAST_SPEED)


class PickupObject(_WithObject):
    """Picking a cube up."""

    def __init__(self, obj: Any, use_pre_dock_pose: bool = True, **named: Any) -> None:
        super().__init__(obj, **named)
        self.obj, self.use_pre_dock_pose = obj, use_pre_dock_pose

    async def _at_object(self, engine: Engine) -> None:
        if engine.manipulator.state.is_carrying:
            raise WrongResult("STILL_CARRYING_OBJECT", "the lift carries a cube already")
        try:
            await pick_up_cube(engine.manipulator, self._its_name)
        except RobotError as error:
            if error.reason is Reason.MISSED:
                result = "PICKUP_OBJECT_UNEXPECTEDLY_NOT_MOVING"
                raise WrongResult(result, str(error), error.reason) from error
            raise


class PlaceObjectOnGroundHere(Action):
    """Putting down what is carried."""

    _tracks = frozenset({"body", "head", "lift"})

    def __init__(self, obj: Any = None, **named: Any) -> None:
        super().__init__(**named)
        self.obj = obj

    def _repr_values(self) -> str:
        return f"object={self.obj}"

    async def _do(self, engine: Engine) -> None:
        if not engine.manipulator.state.is_carrying:
            raise WrongResult("NOT_CARRYING_OBJECT_ABORT", "the lift carries nothing")
        await place_here(engine.manipulator)


class PlaceOnObject(_WithObject):
    """Putting what is carried on a cube."""

    def __init__(self, obj: Any, use_pre_dock_pose: bool = True, **named: Any) -> None:
        super().__init__(obj, **named)
        self.obj, self.use_pre_dock_pose = obj, use_pre_dock_pose

    async def _at_object(self, engine: Engine) -> None:
        if not engine.manipulator.state.is_carrying:
            raise WrongResult("NOT_CARRYING_OBJECT_ABORT", "the lift carries nothing")
        await place_on(engine.manipulator, self._its_name)


class _FromSide(_WithObject):
    """Docks with a side of a cube: the nearest, or the one at ``approach_angle``.

    The angle counts from the direction in which the robot sees the cube: 180 deg is from behind.
    """

    def __init__(self, obj: Any, approach_angle: Angle | None = None, **named: Any) -> None:
        super().__init__(obj, **named)
        self.obj, self.approach_angle = obj, approach_angle

    async def _to_side(self, engine: Engine) -> None:
        if self.approach_angle is None or abs(self.approach_angle.degrees) < 1:
            return
        body = engine.manipulator
        thing = located(body, self._its_name)
        assert thing.pose is not None
        here, (x, y) = body.state.pose, thing.pose[:2, 3]
        heading = math.atan2(y - here.y, x - here.x) + self.approach_angle.radians
        goals = poses_before(thing, _BEFORE)
        goal = min(goals, key=lambda one: abs(math.remainder(one.yaw - heading, 2 * math.pi)))
        await body.move_lift(_LIFT_CLEAR)
        await go_to(body, [goal])

    async def _at_object(self, engine: Engine) -> None:
        await self._to_side(engine)
        await self._dock(engine)

    async def _dock(self, engine: Engine) -> None:
        work: Callable[..., Awaitable[Any]] = type(self)._docking
        await work(engine.manipulator, self._its_name)

    _docking: Callable[..., Awaitable[Any]]


class DockWithCube(_FromSide):
    """Standing before a cube with the lift at it."""

    def __init__(
        self,
        obj: Any,
        approach_angle: Angle | None = None,
        alignment_type: Any = None,
        distance_from_marker: Any = None,
        **named: Any,
    ) -> None:
        super().__init__(obj, approach_angle, **named)
        self.alignment_type, self.distance_from_marker = alignment_type, distance_from_marker

    _docking = staticmethod(align)


class RollCube(_FromSide):
    """Rolling a cube once."""

    def __init__(
        self,
        obj: Any,
        approach_angle: Angle | None = None,
        check_for_object_on_top: bool = False,
        **named: Any,
    ) -> None:
        super().__init__(obj, approach_angle, **named)
        self.check_for_object_on_top = check_for_object_on_top

    async def _dock(self, engine: Engine) -> None:
        await roll_cube(engine.manipulator, self._its_name, is_once=True)


class PopAWheelie(_FromSide):
    """Climbing up a cube until the robot lies on its back."""

    _docking = staticmethod(pop_a_wheelie)

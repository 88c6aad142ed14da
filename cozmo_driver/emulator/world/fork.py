"""What a robot's lift does to cubes: takes, carries, sets down, rolls (spec 16 §6); mm, rad.

None of the figures was measured; they are chosen so that it looks and fails like the real thing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from ...protocol import UpAxis
from ..body import Body, Pose2D, Posture, wrapped
from ..hardware import LIFT_ARM, LIFT_PIVOT
from ..joints import Joint, lift_height
from .optics import Floats, rotated
from .polygons import overlap
from .things import ATTITUDES, CUBE_EDGE, CubePlace
from .world import World, WorldCube

_HALF = CUBE_EDGE / 2
_HOLD = (26.0, -12.5)
"""A carried cube's middle from the lift's wrist: ahead, and above."""
_SEATED = 8.0
"""The lift rises so far until a cube sits square in it."""
_CATCH = ((35.0, 54.0), 6.0, math.radians(10.0))
"""Where a cube's middle must be that is taken: ahead, aside, askew."""
_LEVELS = (-25.0, 3.0)
"""Of the hold above the middle of a cube that is taken: it may come up from below."""
_HOOK = ((28.0, 40.0), 8.0, math.radians(15.0))
_DEEP_HOOK = ((28.0, 50.0), 12.0, math.radians(25.0))
_CLEAR = 44.0
"""A rolled cube's middle, ahead, from which on the lift no longer touches it."""
_FORK_FRONT, _BODY_FRONT, _FORK_BELOW = 22.0, 14.5, 45.0
"""Where cubes touch the robot ahead of its origin, and the lift's height below which the fork does.
"""
_TILT_TIME = 0.33
_SINKING_TIME = 0.1
_TIPPED = math.radians(45.0)
_UP_AXES = tuple(ATTITUDES)


class Fork:
    """One robot's lift; holds at most one cube, with what stands on it."""

    def __init__(self, world: World, body: Body, lift: Joint) -> None:
        self._world, self._body, self._lift = world, body, lift
        self.cube: WorldCube | None = None
        """What it holds."""
        self.is_sticky = False
        """Fault: it does not let go of what it holds."""
        self.tip: Callable[[Posture, float], None] = lambda *_: None
        """Lets the robot tip over into a posture in a time, s."""
        self._seat = Pose2D()
        """Where the cube is from where it would sit, before the lift has risen."""
        self._turned = 0.0
        """Of the cube in the fork: one of four, as it was taken."""
        self._grasped_at = self._risen = 0.0
        """Height of the lift when it took the cube, and how far it has risen since."""
        self._is_clear = False
        """The cube has left what it stood on."""
        self._roll: tuple[CubePlace, Pose2D] | None = None
        """A cube's place before it is rolled, and the robot's pose then."""

    @property
    def height(self) -> float:
        return lift_height(self._lift.angle)

    @property
    def front(self) -> float:
        """Where cubes on the floor touch the robot, ahead of its origin."""
        return _FORK_FRONT if self.height <= _FORK_BELOW else _BODY_FRONT

    @property
    def sinking_time(self) -> float:
        """Time until a lift without power has sunk a degree, s."""
        is_held = self.cube is not None and self.cube.holder is self
        return _SINKING_TIME if is_held and self._is_clear else math.inf

    # -- what the robot does

    def grasp(self) -> None:
        """Take the cube that stands where the fork reaches it, if there is one."""
        hold = self._hold
        for cube in self._reached(*_CATCH):
            if _LEVELS[0] <= self.height + _HOLD[1] - cube.place.center[2] <= _LEVELS[1]:
                self._release()
                self._seat = _square(cube.pose.seen_from(hold))
                self._turned = wrapped(cube.pose.angle - hold.angle - self._seat.angle)
                self._grasped_at, self._risen, self._is_clear = self.height, 0.0, False
                self.cube, cube.holder = cube, self
                return

    def hook(self, is_deep: bool = False) -> None:
        """Lie on the far edge of the cube ahead: reversing rolls it."""
        for cube in self._reached(*(_DEEP_HOOK if is_deep else _HOOK)):
            if cube.is_on_floor:
                self._release()
                self.cube, cube.holder = cube, self
                self._roll = cube.place, self._body.world_pose
                self.shed(cube)
                return

    def lean(self, is_back: bool) -> None:
        """Push against the cube ahead until the robot tips over, if there is one."""
        for _ in self._reached(*(_HOOK if is_back else _CATCH)):
            self.tip(Posture.BACK if is_back else Posture.FACE, _TILT_TIME)
            return

    def let_go(self) -> None:
        """Set what it holds on what is below it."""
        cube = self.cube
        if cube is not None and cube.holder is self:
            self._set_down(cube, cube.pose, *self._support(cube, cube.pose))

    def step(self) -> None:
        """Let the cube follow the robot and its lift."""
        cube = self.cube
        if cube is None:
            return
        if cube.holder is not self:
            # Somebody has taken it away.
            self.cube = self._roll = None
        elif self._roll is not None:
            self._turn(cube, *self._roll)
        elif abs(self._body.pitch) > _TIPPED or abs(self._body.roll) > _TIPPED:
            self._drop(cube)
        else:
            self._carry(cube)

    # -- inside

    @property
    def _hold(self) -> Pose2D:
        """Where the middle of a cube is that sits in the fork."""
        wrist = LIFT_PIVOT[0] + LIFT_ARM * math.cos(self._lift.angle)
        return self._body.world_pose.then(Pose2D(wrist + _HOLD[0]))

    def _reached(self, ahead: tuple[float, float], aside: float, askew: float) -> list[WorldCube]:
        """Return cubes that stand square within a window before the robot."""
        robot, found = self._body.world_pose, []
        for cube in self._world.cubes.values():
            here = cube.pose.seen_from(robot)
            is_there = ahead[0] <= here.x <= ahead[1] and abs(here.y) <= aside
            if is_there and abs(_square(here).angle) <= askew and cube.holder is None:
                found.append(cube)
        return [cube for cube in found if not cube.is_down]

    def _carry(self, cube: WorldCube) -> None:
        self._risen = max(self._risen, self.height - self._grasped_at)
        left = max(0.0, 1.0 - self._risen / _SEATED)
        seat = Pose2D(self._seat.x * left, self._seat.y * left, self._seat.angle * left)
        pose = self._hold.then(seat).then(Pose2D(0.0, 0.0, self._turned))
        bottom = self.height + _HOLD[1] - _HALF
        below, bases = self._support(cube, pose)
        if bottom > below:
            self._is_clear = True
        elif self._is_clear and not self.is_sticky:
            self._set_down(cube, pose, below, bases)
            return
        self._world.put_cube(
            cube, replace(cube.place, pose=pose, bottom=max(bottom, below), on=None)
        )

    def _support(self, cube: WorldCube, pose: Pose2D) -> tuple[float, list[WorldCube]]:
        """Return how high what is below the cube is, and the cubes that are it, none on floor."""
        shape = replace(cube.place, pose=pose).shape()
        below = [
            other
            for other in self._world.cubes.values()
            if other is not cube
            and not other.is_down
            and other.place.on != cube.number
            and other.place.top <= cube.place.bottom + _SEATED
            and overlap(shape, other.shape)
        ]
        top = max((other.place.top for other in below), default=0.0)
        return top, [other for other in below if other.place.top == top]

    def _set_down(
        self, cube: WorldCube, pose: Pose2D, below: float, bases: list[WorldCube]
    ) -> None:
        self._release()
        place = replace(cube.place, pose=pose, bottom=below, on=None)
        if bases:
            # On two it rests where one alone would let it fall: between their middles.
            x = sum(base.pose.x for base in bases) / len(bases)
            y = sum(base.pose.y for base in bases) / len(bases)
            base = min(bases, key=lambda one: math.hypot(one.pose.x - pose.x, one.pose.y - pose.y))
            off = pose.seen_from(Pose2D(x, y, base.pose.angle))
            if max(abs(off.x), abs(off.y)) > _HALF:
                self._fall_beside(cube, base, pose)
                return
            place = replace(place, on=base.number)
        self._world.put_cube(cube, place)
        cube.is_down = self._world.layout.floor_at(pose.x, pose.y) is None

    def shed(self, base: WorldCube) -> None:
        """Let what stands on a cube fall from it, away from the robot."""
        heading = self._body.world_pose.angle
        away = Pose2D(base.pose.x + math.cos(heading), base.pose.y + math.sin(heading))
        for rider in self._world.cubes.values():
            if rider.place.on == base.number:
                self._fall_beside(rider, base, away)

    def _fall_beside(self, cube: WorldCube, base: WorldCube, pose: Pose2D) -> None:
        """Let a cube that overlaps too little of the lower one fall from it."""
        bearing = math.atan2(pose.y - base.pose.y, pose.x - base.pose.x)
        from_base = Pose2D(base.pose.x, base.pose.y, bearing)
        self._tumble(cube, from_base.then(Pose2D(1.5 * CUBE_EDGE)))

    def _drop(self, cube: WorldCube) -> None:
        """Let the cube fall out of a robot that lies or is held askew."""
        self._release()
        self._tumble(cube, self._body.world_pose.then(Pose2D(100.0)))

    def _tumble(self, cube: WorldCube, pose: Pose2D) -> None:
        roll, pitch = ATTITUDES[self._world.random.choice(_UP_AXES)]
        place = CubePlace(pose, roll, pitch, prints=cube.place.prints)
        cube.is_down = self._world.layout.floor_at(pose.x, pose.y) is None
        self._world.put_cube(cube, place)

    def _turn(self, cube: WorldCube, before: CubePlace, start: Pose2D) -> None:
        """Roll the cube about its lower near edge, as far as the robot has reversed."""
        robot = self._body.world_pose
        distance = -robot.seen_from(start).x
        angle = min(max(distance / CUBE_EDGE, 0.0), 1.0) * math.pi / 2
        near = cube.pose.seen_from(robot)
        if angle == math.pi / 2 and (near.x >= _CLEAR or not self._body.wheels.left.target):
            self._release()
            return
        # Of the cube's axes the one that is nearest to where the robot looks.
        direction = start.angle - math.remainder(start.angle - before.pose.angle, math.pi / 2)
        c, s = math.cos(direction), math.sin(direction)
        # From the edge about which it turns to the middle: along the direction, and up.
        ahead = _HALF * (math.cos(angle) - math.sin(angle))
        up = _HALF * (math.cos(angle) + math.sin(angle))
        x = before.pose.x + c * (ahead - _HALF)
        y = before.pose.y + s * (ahead - _HALF)
        about_edge = rotated(0.0, -angle, direction) @ rotated(0.0, 0.0, -direction)
        turned = about_edge @ before.rotation
        roll, pitch, yaw = _angles(turned)
        if angle == math.pi / 2:
            up_axis = replace(before, pose=Pose2D(0, 0, yaw), roll=roll, pitch=pitch).up_axis
            yaw = _flat_yaw(turned, up_axis)
            roll, pitch = ATTITUDES[up_axis]
        place = replace(before, pose=Pose2D(x, y, yaw), roll=roll, pitch=pitch)
        self._world.put_cube(cube, replace(place, bottom=max(0.0, up - place.extents[2])))

    def _release(self) -> None:
        if self.cube is not None and self.cube.holder is self:
            self.cube.holder = None
        self.cube = self._roll = None


def _square(pose: Pose2D) -> Pose2D:
    """Return a pose with its angle from the nearest side of a cube."""
    return Pose2D(pose.x, pose.y, math.remainder(pose.angle, math.pi / 2))


def _angles(rotation: Floats) -> tuple[float, float, float]:
    """Return roll, pitch and yaw of a rotation."""
    pitch = -math.asin(min(max(rotation[2, 0], -1.0), 1.0))
    if abs(rotation[2, 0]) > 1.0 - 1e-9:
        return 0.0, pitch, math.atan2(-rotation[0, 1], rotation[1, 1])
    return (
        math.atan2(rotation[2, 1], rotation[2, 2]),
        pitch,
        math.atan2(rotation[1, 0], rotation[0, 0]),
    )


def _flat_yaw(rotation: Floats, up_axis: UpAxis) -> float:
    """Return the yaw with which a cube that lies with an axis up has this rotation."""
    flat = CubePlace(Pose2D(), *ATTITUDES[up_axis]).rotation
    yaw = rotation @ flat.T
    return math.atan2(yaw[1, 0], yaw[0, 0])

"""A robot's place in the world: what it stands on, bumps into, pushes and falls from."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from ...protocol import MotorID, UpAxis
from ...protocol.messages import MotorAutoEnabled
from ..body import CENTER_TO_ORIGIN, ORIGIN_TO_CENTER, FloorTraction, Pose2D, Posture
from ..cube_radios import CHARGER_PAD
from ..hardware import (
    CLIFF_SENSOR,
    DRIVE_CENTER_OFFSET,
    EFFECTIVE_TRACK,
    ON_GROUND,
    TREAD_SLIP,
)
from ..lights import Rgb
from ..parts import Parts
from ..treads import Tread
from .charger import guided, ramp_pitch
from .fork import Fork
from .world import Occupant, World, WorldCube

STRAINED_AFTER = 4.0
"""s of a tread turning in vain until the motor is switched off to save it. An estimate."""
RECOVERED_AFTER = 3.0
"""s until it is switched on again. An estimate."""
_IN_VAIN = 0.5
"""Share of a tread's travel that is lost when it counts as turning in vain."""
_JOLT, _JOLT_STEPS = 22.0, 40
"""mm that a cube may be pushed in so many steps, 0.2 s, before what stands on it falls. A guess."""
_CUBE_AT_REST = 0.25
"""s without a push after which a cube reports that it stopped."""
_TUMBLE = 60.0
"""mm that a robot goes beyond the edge it falls from."""
_CUBES = (1, 2, 3)
_ROUNDING = 1e-6
_UP_AXES = (UpAxis.X_NEGATIVE, UpAxis.X_POSITIVE, UpAxis.Y_NEGATIVE, UpAxis.Y_POSITIVE)


class Place:
    """Stands between one robot's parts and the world, step by step."""

    def __init__(self, world: World, robot: Parts, where: Pose2D | None = None) -> None:
        """Enter the world, on the next free place or ``where``. Raises ``ValueError``."""
        core, body, cubes = robot.core, robot.body, robot.cubes
        self.world, self.cubes = world, cubes
        self._core, self._body, self._ground = core, body, robot.ground
        self.fork = Fork(world, body, robot.joints.lift)
        self.occupant = Occupant(
            lambda: body.world_pose,
            lambda: self.is_on_floor,
            self._has_cube,
            self._on_cube_moved,
            self._cube_colors,
            lambda: self.fork.front,
        )
        self.index = len(world.occupants)
        start = world.start_of(self.index) if where is None else where
        world.occupants.append(self.occupant)
        cubes.is_taken = lambda factory_id: world.is_taken(factory_id, self.occupant)
        body.carry_to(start)
        self.on_fall: Callable[[Posture], None] = lambda _: None
        """Called when the robot falls over an edge, with how it lands."""
        self.is_down = False
        """The robot has fallen over an edge and is below the world's floors."""
        self._level = ON_GROUND
        self._treads = {body.wheels.left: -0.5, body.wheels.right: 0.5}
        """The treads, and which side they are on."""
        self._is_in_vain = dict.fromkeys(self._treads, False)
        self._strain = dict.fromkeys(self._treads, 0.0)
        self._pushes: deque[dict[int, float]] = deque(maxlen=_JOLT_STEPS)
        """How far the last steps pushed cubes that carry others: mm, by number."""
        self._moving: dict[int, float] = {}
        """Cubes that move, by number, and when they were moved last."""
        self._ground.on_put_down = self._on_put_down
        if world.layout.floors or world.solids or world.cubes:
            body.settle = self._settle
        if world.layout.floors or not world.ideal:
            slip = 0.0 if world.ideal else TREAD_SLIP
            body.traction = FloorTraction(core.random("traction"), robot.variation, slip)
        body.slope, body.uphill = world.slope, world.uphill
        if world.dock is not None:
            robot.battery.fix_charger(world.dock)
            if not any(cube.object_type == CHARGER_PAD for cube in cubes.cubes.values()):
                cubes.add_pad()
        if world.layout.floors:
            for cube in cubes.cubes.values():
                # A charger's pad has a radio of its own.
                if cube.object_type in _CUBES:
                    cube.in_reach = cube.object_type in world.cubes
                if cube.object_type in world.cubes:
                    cube.up_axis = world.cubes[cube.object_type].place.up_axis
        core.when_disconnected(self._on_disconnected)
        self.update()

    def leave(self) -> None:
        """Leave the world, switched off: the lift sinks, and with it what it holds."""
        self.world.leave(self.occupant)
        self.fork.let_go()

    @property
    def is_on_floor(self) -> bool:
        """Whether the robot stands where others can bump into it."""
        return not self._body.is_held and not self.is_down

    @property
    def pitch(self) -> float:
        """Of what the robot stands on, nose up, rad."""
        if self.world.charger is None or self._body.is_held:
            return 0.0
        return ramp_pitch(self.world.charger, self._body.world_pose.then(ORIGIN_TO_CENTER))

    def step(self, dt: float) -> None:
        """Look at what the last step of the body, of ``dt`` seconds, led to."""
        self._tire(dt)
        if self._body.is_held or self.is_down:
            return
        self.update()
        if not self._is_carried:
            self._fall()

    def slide_to(self, where: Pose2D) -> None:
        """Move the robot over the floor to a near place, as far as it can go; it may fall."""
        before, wanted = (p.then(ORIGIN_TO_CENTER) for p in (self._body.world_pose, where))
        after = self.world.settle(self.occupant, before, wanted, -DRIVE_CENTER_OFFSET)
        self._body.carry_to(after.then(CENTER_TO_ORIGIN))
        self.step(0.0)

    @property
    def _is_carried(self) -> bool:
        """Whether there is floor under the robot's middle, where its weight is."""
        center = self._body.world_pose.then(ORIGIN_TO_CENTER)
        return self.world.layout.floor_at(center.x, center.y) is not None

    def _track(self) -> float:
        """Return the effective track on the floor under the robot's middle, mm."""
        center = self._body.world_pose.then(ORIGIN_TO_CENTER)
        return self.world.track_at(center.x, center.y)

    def _on_put_down(self) -> None:
        self.is_down = not self._is_carried
        self.fork.step()
        self.update()

    def update(self) -> None:
        """Let treads and cliff sensor feel what is under them."""
        self._body.wheels.track = self._track()
        spot = self._body.world_pose.then(Pose2D(CLIFF_SENSOR))
        level = ON_GROUND if self.is_down else self.world.reflectance(spot.x, spot.y)
        if level != self._level:
            self._level = level
            self._ground.set_floor(level)

    # -- driving

    def _settle(self, before: Pose2D, target: Pose2D) -> Pose2D:
        if self.is_down:
            return target
        charger = self.world.charger
        wanted = target if charger is None else guided(charger, before, target)
        bases = [(cube, cube.pose) for cube in self.world.bases()]
        after = self.world.settle(self.occupant, before, wanted, -DRIVE_CENTER_OFFSET)
        self._jolt({c.number: math.hypot(c.pose.x - was.x, c.pose.y - was.y) for c, was in bases})
        for tread, side in self._treads.items():
            travel = _travel(before, target, side)
            lost = travel - _travel(before, after, side)
            self._is_in_vain[tread] = abs(lost) > abs(travel * _IN_VAIN) > 0.0
        return after

    def _jolt(self, distances: dict[int, float]) -> None:
        """Let what stands on cubes fall that are pushed too fast (spec 16 §6)."""
        self._pushes.append(distances)
        for number in distances:
            if sum(push.get(number, 0.0) for push in self._pushes) > _JOLT:
                self.fork.shed(self.world.cubes[number])

    def _tire(self, dt: float) -> None:
        """Add up how long each tread turns in vain; the overload protection ends that."""
        for tread in self._treads:
            is_in_vain = self._is_in_vain[tread] and not self._body.is_held
            self._is_in_vain[tread] = False
            self._strain[tread] = self._strain[tread] + dt if is_in_vain else 0.0
            if self._strain[tread] >= STRAINED_AFTER:
                self._strain[tread] = 0.0
                self._switch_off(tread)

    def _switch_off(self, tread: Tread) -> None:
        motor = MotorID.LEFT_WHEEL if tread is self._body.wheels.left else MotorID.RIGHT_WHEEL
        tread.switch(False)
        self._core.send(MotorAutoEnabled(motor, False))

        def recover() -> None:
            tread.switch(True)
            self._core.send(MotorAutoEnabled(motor, True))

        self._core.after(RECOVERED_AFTER, recover)

    def _fall(self) -> None:
        """Tip over the edge, ahead or backwards, and land below, on the face or the back."""
        is_ahead = self._body.wheels.left.speed + self._body.wheels.right.speed >= 0.0
        distance = _TUMBLE if is_ahead else -_TUMBLE
        self.is_down = True
        self._body.carry_to(self._body.world_pose.then(Pose2D(distance)))
        self.on_fall(Posture.FACE if is_ahead else Posture.BACK)

    def _on_disconnected(self) -> None:
        for tread in self._treads:
            tread.switch(True)
        self._moving.clear()

    # -- cubes

    def _has_cube(self, factory_id: int) -> bool:
        cube = self.cubes.cubes.get(factory_id)
        return cube is not None and cube.slot is not None

    def _cube_colors(self, number: int) -> tuple[Rgb, ...] | None:
        factory_id = self.cubes.of_kind(number)
        if factory_id is None or self.cubes.cubes[factory_id].slot is None:
            return None
        return self.cubes.colors(factory_id)

    def _on_cube_moved(self, cube: WorldCube) -> None:
        """Report that a cube begins to move and, a while later, that it has stopped."""
        factory_id = self.cubes.of_kind(cube.number)
        if factory_id is None:
            return
        if cube.number not in self._moving:
            self.cubes.move(factory_id)
            self._core.after(_CUBE_AT_REST, lambda: self._check_rest(cube.number, factory_id))
        self._moving[cube.number] = self._core.now
        if cube.is_down:
            self.cubes.flip(factory_id, self.world.random.choice(_UP_AXES))
        elif self.cubes.cubes[factory_id].up_axis is not cube.place.up_axis:
            self.cubes.flip(factory_id, cube.place.up_axis)

    def _check_rest(self, number: int, factory_id: int) -> None:
        left = self._moving[number] + _CUBE_AT_REST - self._core.now
        if left > _ROUNDING:
            self._core.after(left, lambda: self._check_rest(number, factory_id))
            return
        del self._moving[number]
        self.cubes.stop(factory_id)


def _travel(before: Pose2D, after: Pose2D, side: float) -> float:
    """Return how far a tread came along the robot's heading, mm."""
    step = after.seen_from(before)
    return step.x + side * EFFECTIVE_TRACK * step.angle

"""A simulated robot in a room with tags: truth, odometry and sightings that err as those of robots.

Corners err by two to four times what was measured on rendered images (benchmarks/localization):
nobody knows of real ones. It costs a thousandth of rendering. Everything is drawn from the seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from cozmo_driver.localization import (
    Localizer,
    MapTag,
    Sighting,
    TagMap,
    pose_of,
    tag_corners,
)
from cozmo_driver.perception import (
    Camera,
    Matrix,
    Mount,
    StampedState,
    camera_pose,
    marker_poses,
    pose,
)

FAMILY = "4x4_50"
"""Its cells are a third larger than those of 36h11, so that it is found from farther away."""
STATE, IMAGE = 0.03, 1 / 15
LENGTH, WIDTH = 3.0, 2.0
_OBLIQUE = math.cos(math.radians(68.0))
_FOUND_FROM, _FOUND_AT = 11.0, 18.0
"""Pixels, side of a tag that is never found, and always: 4x4_50 in rendered images. Of 36h11, whose
cells are smaller, 17 and 25."""
_ALIKE_FOR = 0.5
"""m of way, and half as many rad, over which two thirds of what is alike are another error."""


def room_map(
    count: int = 12,
    size: float = 0.06,
    height: float = 0.08,
    deviation: tuple[float, float] = (5e-4, 2e-3),
    family: str = FAMILY,
) -> TagMap:
    """Return tags at even distances around the walls, numbered from the first corner."""
    around = 2 * (LENGTH + WIDTH)
    tags = []
    for number in range(count):
        way = around * (number + 0.5) / count
        x, y, facing = _on_wall(way)
        place = pose_of((x, y, height), facing, 0.0, 0.0)
        tags.append(MapTag(f"{family}:{number}", size, place, deviation))
    return TagMap.of(tags, "room")


def _on_wall(way: float) -> tuple[float, float, float]:
    if way < LENGTH:
        return way, 0.0, math.pi / 2
    if way < LENGTH + WIDTH:
        return LENGTH, way - LENGTH, math.pi
    if way < 2 * LENGTH + WIDTH:
        return 2 * LENGTH + WIDTH - way, WIDTH, -math.pi / 2
    return 0.0, 2 * (LENGTH + WIDTH) - way, 0.0


@dataclass
class Errors:
    """What the simulated robot errs by; by default as much as emulated ones."""

    turn_scale: float = 1.013
    distance_scale: float = 0.995
    mount: Mount = Mount(0.02, -0.015, 0.02)
    focal: float = 0.998
    corner: float = 0.36
    """Pixels."""
    edge: float = 0.42
    alike: float = 0.16
    """Share of both variances that stays from image to image, until the robot is elsewhere."""
    shake: float = 0.002
    """rad, of pitch, roll and heading of a robot that drives."""
    wander: float = 0.001
    turn: float = 0.003
    lag: float = 0.02
    """s that images are taken later than their stamps say."""
    outliers: float = 0.0
    """Share of sightings of which a corner is 4 pixels off."""

    @classmethod
    def drawn(cls, random: np.random.Generator, **others: float) -> Errors:
        """Return those of one robot of many."""
        pitch, roll, yaw = (float(one) for one in random.normal(0.0, (0.020, 0.016, 0.016)))
        return cls(
            turn_scale=1.013 + random.uniform(-0.005, 0.005),
            distance_scale=1.0 + random.uniform(-0.01, 0.01),
            mount=Mount(pitch, roll, yaw),
            focal=1.0 + random.normal(0.0, 0.003),
            **others,
        )

    def times(self, factor: float) -> Errors:
        """Return the same with so many times the noise."""
        noisy = {
            key: factor * getattr(self, key)
            for key in ("corner", "edge", "shake", "wander", "turn")
        }
        return replace(self, **noisy)


@dataclass
class Room:
    """A robot that drives between random places, or as it is told."""

    seed: int = 1
    tags: TagMap = field(default_factory=room_map)
    """Where they truly are."""
    errors: Errors = field(default_factory=Errors)
    x: float = 1.5
    y: float = 1.0
    yaw: float = 0.3
    """The truth, of base_footprint."""
    now: float = 100.0
    head: float = 0.05
    speed: float = 0.08
    turn_rate: float = 0.45
    hidden: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.camera = Camera()
        self.odom = [0.0, 0.0, float(self.random.uniform(-3.0, 3.0))]
        self.origin = 0
        self.is_on_treads = True
        self._velocity = 0.0, 0.0
        self._target: tuple[float, float] | None = None
        self._next_image = self.now
        self._alike: dict[str, tuple[float, Matrix]] = {}
        """Of each tag: where on the way its errors were drawn, and those of corners and edge."""
        self._way = 0.0

    @property
    def truth(self) -> Matrix:
        return np.array([self.x, self.y, self.yaw])

    # -- motion

    def carry(self, x: float, y: float, yaw: float) -> None:
        """Put the robot elsewhere; its odometry begins anew."""
        self.x, self.y, self.yaw = x, y, yaw
        self.origin += 1
        self._target = None

    def step(self, forward: float | None = None, turn: float | None = None) -> StampedState:
        """Go on by a state, m/s and rad/s; by default to random places."""
        if forward is None or turn is None:
            forward, turn = self._to_target()
        self._velocity = forward, turn
        way, angle = forward * STATE, turn * STATE
        self._way += abs(way) + 2.0 * abs(angle)
        middle = self.yaw + angle / 2
        self.x += way * math.cos(middle)
        self.y += way * math.sin(middle)
        self.yaw = math.remainder(self.yaw + angle, 2 * math.pi)
        e, random = self.errors, self.random
        slip = e.wander * math.sqrt(abs(angle))
        noise = random.normal(0.0, 1.0, 4)
        self.x += slip * noise[0]
        self.y += slip * noise[1]
        counted = way / e.distance_scale + 0.003 * math.sqrt(abs(way)) * noise[2]
        swing = angle / e.turn_scale + e.turn * math.sqrt(abs(angle) + 4.0 * abs(way)) * noise[3]
        middle = self.odom[2] + swing / 2
        self.odom[0] += counted * math.cos(middle)
        self.odom[1] += counted * math.sin(middle)
        self.odom[2] = math.remainder(self.odom[2] + swing, 2 * math.pi)
        self.now += STATE
        return self.state

    @property
    def state(self) -> StampedState:
        forward, turn = self._velocity
        return StampedState(
            self.now,
            *self.odom,
            head=self.head,
            yaw_rate=turn / self.errors.turn_scale,
            is_moving=bool(forward or turn),
            is_on_treads=self.is_on_treads,
            origin=self.origin,
            origin_id=self.origin,
        )

    def _to_target(self) -> tuple[float, float]:
        if self._target is None or math.dist(self._target, (self.x, self.y)) < 0.03:
            self._target = (
                float(self.random.uniform(0.35, LENGTH - 0.35)),
                float(self.random.uniform(0.35, WIDTH - 0.35)),
            )
        bearing = math.atan2(self._target[1] - self.y, self._target[0] - self.x)
        off = math.remainder(bearing - self.yaw, 2 * math.pi)
        if abs(off) > 0.1:
            return 0.0, math.copysign(self.turn_rate, off)
        return self.speed, 0.5 * off

    # -- images

    def is_image_due(self) -> bool:
        if self.now < self._next_image:
            return False
        self._next_image += IMAGE
        return True

    def look(self) -> list[Sighting]:
        """Return what the camera shows now."""
        moving = any(self._velocity)
        shake = self.random.normal(0.0, self.errors.shake if moving else 0.0005, 3)
        mount = self.errors.mount
        shaken = Mount(mount.pitch + shake[0], mount.roll + shake[1], mount.yaw)
        late = self._velocity[1] * self.errors.lag + shake[2]
        eye = camera_pose(pose(self.x, self.y, 0.0, self.yaw + late), self.head, shaken)
        seen = (self._seen(one, eye) for one in self._faced(eye))
        return [one for one in seen if one is not None]

    def _faced(self, eye: Matrix) -> list[MapTag]:
        """Return the tags that look towards the camera, and are about where it looks."""
        tags = [one for one in self.tags.tags.values() if one.name not in self.hidden]
        places = np.array([one.pose for one in tags]).reshape(-1, 4, 4)
        away = eye[:3, 3] - places[:, :3, 3]
        right, _, ahead = -eye[:3, :3].T @ away.T
        looks = -(places[:, :3, 1] * away).sum(axis=1) >= _OBLIQUE * np.linalg.norm(away, axis=1)
        is_faced = looks & (ahead > 0.05) & (np.abs(right) < ahead)
        return [one for one, is_one in zip(tags, is_faced, strict=True) if is_one]

    def _seen(self, tag: MapTag, eye: Matrix) -> Sighting | None:
        corners = tag_corners(tag.size)
        in_camera = (corners @ tag.pose[:3, :3].T + tag.pose[:3, 3] - eye[:3, 3]) @ eye[:3, :3]
        if in_camera[:, 2].min() < 0.05:
            return None
        camera, e = self.camera, self.errors
        true = in_camera[:, :2] / in_camera[:, 2:]
        pixels = true * camera.fx * e.focal + (camera.cx, camera.cy)
        outwards = pixels - pixels.mean(axis=0)
        side = float(np.linalg.norm(outwards, axis=1).mean()) * math.sqrt(2.0)
        inside = (pixels > 4).all() and (pixels < (camera.width - 4, camera.height - 4)).all()
        share = (side - _FOUND_FROM) / (_FOUND_AT - _FOUND_FROM)
        if not inside or self.random.random() > share:
            return None
        errors = self._errors(tag.name)
        pixels = pixels + e.corner * errors[:8].reshape(4, 2)
        pixels += outwards / np.linalg.norm(outwards, axis=1)[:, None] * e.edge * errors[8]
        if self.random.random() < e.outliers:
            pixels[self.random.integers(4)] += self.random.normal(0.0, 4.0, 2)
        poses = marker_poses(pixels, (tag.size, tag.size), camera)
        if not poses:
            return None
        return Sighting(
            tag.name,
            corners,
            camera.directions(pixels),
            tuple(one.matrix for one in poses),
            1.0 / camera.fx,
            tag.size,
        )

    def _errors(self, name: str) -> Matrix:
        """Return by how many deviations corners and edge of a tag err: in part as just before."""
        drawn = self.random.normal(0.0, 1.0, (2, 9))
        way, kept = self._alike.get(name, (self._way, drawn[1]))
        share = math.exp((way - self._way) / _ALIKE_FOR)
        kept = share * kept + math.sqrt(1.0 - share**2) * drawn[1]
        self._alike[name] = self._way, kept
        alike = self.errors.alike
        errors: Matrix = math.sqrt(1.0 - alike) * drawn[0] + math.sqrt(alike) * kept
        return errors

    def run(
        self, seconds: float, period: float = 0.0
    ) -> Iterator[tuple[StampedState, list[Sighting] | None]]:
        """Drive to random places; yield each state, and what an image of that time shows.

        ``period``: s in which the robot looks to and fro about where it stands instead.
        """
        begun = self.now
        while self.now < begun + seconds:
            swing = math.cos(math.tau * (self.now - begun) / period) if period else 0.0
            state = self.step(0.05 * swing, 0.45 * swing) if period else self.step()
            fast = abs(state.yaw_rate or 0.0) > math.radians(30.0)
            yield state, (self.look() if self.is_image_due() and not fast else None)


class RoomLooker:
    """A robot in such a room that looks around: ``localize`` and ``learn_map`` without a clock."""

    def __init__(self, room: Room, localizer: Localizer) -> None:
        self.room, self.localizer = room, localizer
        self.step()

    def step(self, forward: float = 0.0, turn: float = 0.0) -> int:
        """Go on by a state; return how many images came with it."""
        state, is_due = self.room.step(forward, turn), self.room.is_image_due()
        self.localizer.on_odometry(state)
        if is_due and abs(turn) < math.radians(30.0):
            self.localizer.on_sightings(state.stamp, self.room.look())
        return is_due

    async def turn(self, angle: float) -> None:
        steps = math.ceil(abs(angle) / (0.9 * STATE))
        for _ in range(steps):
            self.step(turn=angle / steps / STATE)
        for _ in range(4):
            self.step()

    async def drive(self, distance: float) -> None:
        steps = math.ceil(abs(distance) / (self.room.speed * STATE))
        for _ in range(steps):
            self.step(distance / steps / STATE)

    async def move_head(self, angle: float) -> None:
        self.room.head = angle

    async def look(self, images: int) -> None:
        while images > 0:
            images -= self.step()


def relative(known: Matrix, truth: Matrix) -> Matrix:
    """Return by how much x, y, yaw differ."""
    off = known - truth
    off[2] = math.remainder(off[2], 2 * math.pi)
    return off


def frame(truth: Matrix) -> Matrix:
    return pose(float(truth[0]), float(truth[1]), 0.0, float(truth[2]))

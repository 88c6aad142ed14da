"""A robot drives up to a cube and round it, and collects what it counted, felt and saw."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..link import end, with_timeout
from ..perception import (
    CUBE_EDGE,
    Detections,
    Marker,
    Print,
    PrintedCube,
    RobotPerception,
    camera_pose,
    marker_poses,
    resolve_ambiguity,
)
from ..protocol import UpAxis
from ..robot import MIN_LIFT_HEIGHT, CubeEvent, CubeEventType, Robot, RobotState
from .analysis import Floats, track_of
from .estimating import Feeling, Station, View
from .seeing import first_cube

RADIUS = 0.14
"""m between the drive centre and the cube's middle, on the path round it."""
_NEAREST, _FARTHEST = 0.20, 0.45
"""m of the cube's middle from the drive centre at the start, so that there is room to drive."""
_FRONT = 0.052 + CUBE_EDGE / 2
"""m between the drive centre and the middle of a cube that touches the robot."""
_FAR_HEADS, _NEAR_HEADS = (0.12, 0.0), (-0.21, -0.15, -0.09, -0.03)
"""rad at which the head looks at the cube from afar and on the path round it, where it is low."""
_FEELING_HEADS = (-0.40, -0.15, 0.15, 0.45, 0.75)
_IMAGES, _FEWEST = 5, 3
"""Images that are averaged, and in how many of them a marker must be found."""
_STATES = 16
"""States in which the accelerometer is read."""
_REST, _REST_TIMEOUT, _IMAGE_TIMEOUT = 0.25, 5.0, 4.0
"""s"""
_SPEED, _TURN_SPEED = 0.05, 2.0
_FAR_SWEEP, _NEAR_SWEEP, _SWEEP_STOPS = 0.36, 0.22, 5
"""rad to either side, and how often it stops."""
_STEPS = 3
_NO_CUBE = (
    "no cube is in sight: put one upright on the table, 20 to 25 cm ahead of the robot, in a lit "
    "room"
)
_UNKNOWN = (
    "a cube may be in sight, but its markers are not known: cozmo vision learn --cube 1, without "
    "pictures, learns them"
)
_SIDELESS = (
    "the cube's markers are known, but not which side each is on: learn them by their names, "
    "cozmo vision learn --cube {cube} without pictures, or with --side for each"
)
_LEG, _LEAST_LEG = math.pi / 4, 0.35
"""rad of the cube's azimuth from place to place: a side is seen squarely, or two are."""


class CalibrationRefused(RuntimeError):
    """Why nothing was measured, and what to do."""


class Survey:
    """What the robot did, felt and saw so far."""

    def __init__(
        self,
        robot: Robot,
        perception: RobotPerception,
        on_progress: Callable[[str, float], object],
    ) -> None:
        self._robot, self._perception, self._tell = robot, perception, on_progress
        self._trouble: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """What makes all that was collected worthless."""
        self.cube = ""
        """Name of the one that is looked at."""
        self._standing = {
            one.factory_id
            for one in robot.cubes.all
            if one.is_connected and one.up_axis is not UpAxis.UNKNOWN_AXIS
        }
        """Cubes, by factory id, that have told how they stand; what they tell next is a move."""
        self.stations: list[Station] = []
        self.views: list[View] = []
        self.feelings: list[Feeling] = []
        self.tracks: list[float] = []
        """m, for the turn rates that the robot reports."""
        self.first = 0.0, 0.0, 0.0
        """The cube from the first station: x, y, and where its side 0 faces; m and rad."""
        self._place, self._facing = np.zeros(2), 0.0
        """The cube's middle from the drive centre, m, and where a side of it faces, as of the last
        look."""
        self._is_sideless = False
        """Whether the last look showed markers of the cube without knowing their sides."""
        self._sides: dict[int, int] = {}
        """Numbers of sides by the codes of their markers."""
        self._names: dict[int, str] = {}
        """Names of sides that are the right way up, by their numbers."""
        self._facing_of_first = 0.0
        self._last: RobotState | None = None
        self._distance = self._turn = self._heading = 0.0
        self._spin: list[RobotState] = []
        """Of the present one."""
        self._rests = 0

    def _on_state(self, state: RobotState) -> None:
        """Add up what the robot counts."""
        last, self._last = self._last, state
        self._spin.append(state)
        if last is None:
            return
        gone = state.traveled_since(last)
        if gone is None:
            self._fail("the robot lost its place")
            return
        distance, turn = gone
        self._distance += distance
        self._turn += turn
        self._heading += turn

    def _on_cube_event(self, event: CubeEvent) -> None:
        is_moved = event.type is CubeEventType.MOVED
        if event.type is CubeEventType.UP_AXIS_CHANGED:
            is_moved = event.cube.factory_id in self._standing
            self._standing.add(event.cube.factory_id)
        if is_moved and self.cube == f"cube_{event.cube.kind.value}":
            self._fail("the cube was moved")

    def _fail(self, text: str) -> None:
        if not self._trouble.done():
            self._trouble.set_result(text)

    # -- what is known of the cube

    def printed(self, sides: Mapping[int, Print]) -> PrintedCube | None:
        """Return the prints of numbered sides that are possible; None for one of several cubes."""
        heard = [one for one in self._robot.cubes.all if self.cube == f"cube_{one.kind.value}"]
        heard = [one for one in heard if one.is_connected] or heard
        if len(heard) > 1:
            return None
        found = {name: sides[number] for number, name in self._names.items() if number in sides}
        return PrintedCube(
            heard[0].factory_id if heard else 0,
            {name: one for name, one in found.items() if one.is_possible},
        )

    # -- the course

    async def run(self) -> None:
        """Drive all of it. Raises ``CalibrationRefused``, ``RobotError``, ``ConnectionLost``."""
        disconnects = [
            self._robot.on_state.connect(self._on_state),
            self._robot.cubes.on_event.connect(self._on_cube_event),
        ]
        task = asyncio.ensure_future(self._go())
        try:
            waited: list[asyncio.Future[Any]] = [task, self._trouble]
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if self._trouble.done():
                raise CalibrationRefused(f"{self._trouble.result()}: nothing is kept, begin again")
            await task
        finally:
            await end(task)
            for disconnect in disconnects:
                disconnect()

    async def _go(self) -> None:
        joints = self._robot.joints
        self._tell("looking for the cube", 0.0)
        await joints.move_lift(MIN_LIFT_HEIGHT)
        await joints.move_head(_FAR_HEADS[-1])
        await self._find()
        await self._face()
        self.stations, self._heading = [Station(0.0, 0.0)], 0.0
        self._sides.clear()
        await self._look(*_FAR_HEADS)
        self.first = float(self._place[0]), float(self._place[1]), self._facing_of_first
        self._tell("turning, and feeling where up is", 0.05)
        # Nothing is to be seen there.
        self._robot.camera.enable(False)
        try:
            await self._feel(is_turned=False)
            await self._rotate(math.pi)
            await self._feel(is_turned=True)
            await self._rotate(math.pi)
        finally:
            self._robot.camera.enable(True)
        await self._look(*_FAR_HEADS)
        self._tell("turning back", 0.3)
        await self._rotate(-2.0 * math.pi)
        await self._look(*_FAR_HEADS)
        await self._sweep(_FAR_SWEEP)
        self._tell("driving up to the cube", 0.4)
        for left in range(_STEPS, 0, -1):
            await self._drive((float(np.hypot(*self._place)) - RADIUS) / left)
            await self._look(*(_FAR_HEADS if left > 1 else _NEAR_HEADS))
        await self._face()
        await self._sweep(_NEAR_SWEEP)
        await self._go_round()
        self._tell("putting it together", 0.95)

    async def _find(self) -> None:
        """Choose the first cube that is seen. Raises ``CalibrationRefused``."""
        self.cube, nameless = await first_cube(self._perception)
        if not self.cube:
            raise CalibrationRefused(_UNKNOWN if nameless else _NO_CUBE)
        await self._look(is_kept=False)
        distance = float(np.hypot(*self._place))
        if not _NEAREST <= distance <= _FARTHEST:
            ahead = 100.0 * (distance - _FRONT)
            raise CalibrationRefused(
                f"the cube is {ahead:.0f} cm ahead of the robot: put it at 20 to 25 cm"
            )

    async def _sweep(self, span: float) -> None:
        """Look from several headings to both sides, and end where it began."""
        step = 2.0 * span / (_SWEEP_STOPS - 1)
        for number in range(_SWEEP_STOPS + 1):
            is_last = number == _SWEEP_STOPS
            await self._rotate(-span if number == 0 or is_last else step)
            # A side that is seen from near and aslant may be cut off.
            await self._look(is_needed=is_last)

    async def _go_round(self) -> None:
        """Drive once round the cube and look at each side and at each edge."""
        azimuth = math.atan2(-self._place[1], -self._place[0])
        leg = math.remainder(self._facing - azimuth, _LEG) % _LEG
        leg += _LEG if leg < _LEAST_LEG else 0.0
        for number in range(8):
            self._tell("driving round the cube", 0.5 + 0.45 * number / 8)
            await self._go_on(leg)
            await self._look(*(_NEAR_HEADS if number % 2 else _NEAR_HEADS[::-1]))
            leg = _LEG

    async def _go_on(self, angle: float) -> None:
        """Go counter-clockwise round the cube by an angle, and face it."""
        x, y = map(float, self._place)
        azimuth = math.atan2(-y, -x) + angle
        to_x, to_y = x + RADIUS * math.cos(azimuth), y + RADIUS * math.sin(azimuth)
        heading = math.atan2(to_y, to_x)
        await self._rotate(heading)
        await self._drive(math.hypot(to_x, to_y))
        await self._rotate(math.remainder(math.atan2(y - to_y, x - to_x) - heading, math.tau))

    async def _face(self) -> None:
        await self._rotate(math.atan2(self._place[1], self._place[0]))

    # -- moves; each ends in a station

    async def _rotate(self, angle: float) -> None:
        self._spin.clear()
        await self._robot.turns.turn(angle, speed=_TURN_SPEED)
        spin = self._spin.copy()
        await self._stand()
        if abs(angle) >= math.pi:
            self.tracks.append(track_of(spin))

    async def _drive(self, distance: float) -> None:
        await self._robot.maneuvers.drive_distance(distance, speed=_SPEED)
        await self._stand()

    async def _stand(self) -> None:
        await self._rest()
        self.stations.append(Station(self._distance, self._turn))
        self._distance = self._turn = 0.0

    async def _rest(self) -> float:
        """Wait until the robot has stood for a moment; return since when."""
        loop = asyncio.get_running_loop()
        deadline, still_since = loop.time() + _REST_TIMEOUT, math.inf
        while loop.time() < deadline:
            state = await self._robot.on_state.next()
            still_since = math.inf if state.is_moving else min(still_since, state.time)
            if state.time - still_since >= _REST:
                return state.time
        raise CalibrationRefused("the robot does not come to rest")

    # -- what it senses, at rest

    async def _feel(self, is_turned: bool) -> None:
        """Read the accelerometer at several angles of the head."""
        for head in _FEELING_HEADS:
            await self._nod(head)
            states = [await self._robot.on_state.next() for _ in range(_STATES)]
            self.feelings.append(
                Feeling(
                    float(np.mean([one.head_angle for one in states])),
                    is_turned,
                    float(np.mean([one.acceleration.x for one in states])),
                    float(np.mean([one.acceleration.z for one in states])),
                )
            )
        await self._nod(_FAR_HEADS[-1])

    async def _nod(self, head: float) -> None:
        await self._robot.joints.move_head(head)
        self._rests += 1
        await self._rest()

    async def _look(self, *heads: float, is_kept: bool = True, is_needed: bool = True) -> None:
        """Look from here, with the head as it is or at several angles; remember the cube's place.

        Raises ``CalibrationRefused`` where it is not in sight and ``is_needed``.
        """
        places = []
        for head in heads or (math.nan,):
            if not math.isnan(head):
                await self._nod(head)
            markers = await self._markers()
            state = self._robot.state
            assert state is not None
            for marker, corners in markers:
                place, facing = self._locate(marker, corners, state)
                places.append((*place, facing))
                if is_kept and marker.code is not None:
                    side = self._number(marker.code, facing)
                    if not marker.turns:
                        self._names[side] = marker.side
                    station = len(self.stations) - 1
                    self.views.append(View(station, state.head_angle, self._rests, side, corners))
        if places:
            self._place = np.mean([place[:2] for place in places], axis=0)
            self._facing = places[0][2]
        elif is_needed:
            raise CalibrationRefused(
                _SIDELESS.format(cube=self.cube[-1])
                if self._is_sideless
                else "the cube is no longer in sight: was it moved?"
            )

    async def _markers(self) -> list[tuple[Marker, Floats]]:
        """Return the cube's markers with the means of their corners, the largest first."""
        since = await self._rest()
        found: dict[int, list[Marker]] = defaultdict(list)
        try:
            for _ in range(_IMAGES):
                seen = await with_timeout(_IMAGE_TIMEOUT, self._seen_after(since))
                since = seen.image.time
                own = [marker for marker in seen.markers if marker.name == self.cube]
                self._is_sideless = any(marker.code is None for marker in own)
                for marker in own:
                    if marker.code is not None:
                        found[marker.code].append(marker)
        except TimeoutError:
            raise CalibrationRefused("the camera sends no images") from None
        kept = [
            (several[0], np.mean([one.corners for one in several], axis=0))
            for several in found.values()
            if len(several) >= _FEWEST
        ]
        return sorted(kept, key=lambda one: -one[0].pixels)

    async def _seen_after(self, time: float) -> Detections:
        return await self._perception.on_detections.next(lambda seen: seen.image.time > time)

    def _locate(
        self, marker: Marker, corners: Floats, state: RobotState
    ) -> tuple[tuple[float, float], float]:
        """Return the cube's middle and where the marker faces, from the drive centre; m, rad."""
        eye = camera_pose(np.eye(4), state.head_angle)
        assert marker.size is not None
        poses = marker_poses(corners, marker.size, self._perception.camera)
        if not poses:
            raise CalibrationRefused("the cube cannot be located: was it moved?")
        pose = eye @ resolve_ambiguity(poses, eye[2, :3]).matrix
        inwards = pose[:2, 1] / np.linalg.norm(pose[:2, 1])
        x, y = pose[:2, 3] + inwards * CUBE_EDGE / 2
        return (float(x), float(y)), math.atan2(-inwards[1], -inwards[0])

    def _number(self, code: int, facing: float) -> int:
        """Return the number of a side, counter-clockwise; the first one seen is 0."""
        if code not in self._sides:
            facing += self._heading
            if not self._sides:
                self._facing_of_first = facing
            quarters = (facing - self._facing_of_first) / (math.pi / 2)
            self._sides[code] = round(quarters) % 4
        return self._sides[code]

"""Eyes for a program without ROS: what a robot's pictures show, and where that stands."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..link import end, with_timeout
from ..robot import (
    DRIVE_CENTER,
    LIGHT_CUBES,
    CameraCalibration,
    Cube,
    CubeEvent,
    CubeEventType,
    CubeKind,
    Identity,
    Image,
    Odometry,
    Pose2D,
    Reason,
    Relocalized,
    Robot,
    RobotError,
    Signal,
    data_directory,
)
from .detection.camera import CalibrationError, Camera
from .detection.drawings import Drawing
from .detection.learner import up_side
from .detection.markers import Marker, MarkerDetector, as_gray
from .detection.objects import TaggedObject
from .detection.poses import marker_poses, upright
from .kept_mount import KeptMount
from .observations import lens_of, models_of, observations_of
from .world.carrying import on_carrying
from .world.frames import inverse
from .world.objects import LocatedObject, PoseState
from .world.pose_history import Drop, RobotMoment
from .world.world_model import WorldModel

Matrix = npt.NDArray[np.float64]

_STATE_TIMEOUT = 0.06
"""s to wait for a state as new as a picture."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What a picture shows."""

    image: Image
    markers: tuple[Marker, ...]
    """The largest first."""
    camera: Camera
    moment: RobotMoment | None
    """The robot at the picture's time; None where that is not known."""
    drop: Drop | None
    """Why objects were not placed by it."""

    def pose_of(self, marker: Marker) -> Matrix | None:
        """Return the pose of a marker in odom, 4x4, m; None where it cannot be known.

        Its frame has x to its right, y into it, z up.
        """
        if self.moment is None or marker.size is None:
            return None
        poses = marker_poses(marker.own_corners, marker.size, self.camera)
        eye = self.moment.camera
        return eye @ upright(poses, eye[2, :3]).matrix if poses else None


class Eyes:
    """Finds markers in the pictures of a robot's camera, and keeps track of what carries them.

    Use it in the robot's loop, as ``async with Eyes(robot) as eyes``. Pictures are searched in a
    thread of its own, always the newest one; the link never waits for it.
    """

    def __init__(
        self,
        robot: Robot,
        drawings: Sequence[Drawing] = (),
        objects: Sequence[TaggedObject] = (),
        directory: Path | None = None,
    ) -> None:
        """Know our own signs, these drawings (``load_drawings``) and objects (``objects_of``).

        What is learnt of how a robot's camera is mounted is kept in ``directory``, by default in
        ``data_directory()``.
        """
        self.on_sight: Signal[Sight] = Signal()
        """Every picture that was searched."""
        self.on_object: Signal[LocatedObject] = Signal()
        """An object of which it has changed how well its place is known."""
        self.camera = Camera()
        # The robot's camera leaves out its first pictures itself.
        self.world = WorldModel(lens_of(self.camera), settling=0.0)
        self.world.on_state = self._on_pose_state
        for model in models_of(objects):
            self.world.define(model)
        self._kept_mount = KeptMount(self.world.camera.mounting, directory or data_directory())
        self.failed = 0
        """Pictures that could not be searched."""
        self._robot = robot
        self._head = -math.inf, 0.0
        """When the head's angle was measured last, robot's time in s, and that, rad."""
        self._detector = MarkerDetector(drawings, objects, charger_every=5)
        self._origin = 0
        self._is_carrying = False
        self._latency = 0.0
        self._newest: Image | None = None
        self._is_new = asyncio.Event()

    async def __aenter__(self) -> Eyes:
        """Switch the camera on and begin to look."""
        robot = self._robot
        if robot.camera.calibration is not None:
            self._on_calibration(robot.camera.calibration)
        self._on_cubes(robot.cubes.all)
        self._on_identity(robot.identity)
        self._disconnects = [
            robot.on_identity.connect(self._on_identity),
            robot.camera.on_calibration.connect(self._on_calibration),
            robot.on_odometry.connect(self._on_odometry),
            robot.localization.on_delocalized.connect(self._on_delocalized),
            robot.localization.on_odometry_set.connect(self._on_delocalized),
            robot.localization.on_relocalized.connect(self._on_relocalized),
            robot.cubes.on_change.connect(self._on_cubes),
            robot.cubes.on_event.connect(self._on_cube_event),
            robot.on_image.connect(self._on_image),
        ]
        self._executor = ThreadPoolExecutor(1, "cozmo-eyes")
        self._task = asyncio.create_task(self._run())
        if not robot.camera.is_enabled:
            robot.camera.enable(True)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop looking; the camera stays on."""
        for disconnect in self._disconnects:
            disconnect()
        await end(self._task)
        await self._kept_mount.end()
        self._executor.shutdown()

    # -- what is known

    @property
    def objects(self) -> list[LocatedObject]:
        """Cubes 1 to 3, the charger and the objects that were given, located or not."""
        return self.world.objects(self._now())

    def object(self, name: str) -> LocatedObject:
        """Return what is known of an object. Raises ``KeyError`` for one that was not given."""
        return self.world.object(name, self._now())

    def in_robot(self, pose: Matrix) -> Matrix:
        """Return a pose of odom in ``base_footprint`` as the robot stands now, 4x4, m."""
        last = self.world.history.last
        seen: Matrix = pose if last is None else inverse(last.base) @ pose
        return seen

    async def find(self, name: str, timeout: float) -> LocatedObject:
        """Wait until an object is in sight and located; the robot does not move for it.

        Raises ``RobotError`` (``Reason.NOT_SEEN``) after ``timeout`` s, ``KeyError`` for an object
        that was not given.
        """
        if not self._is_found(name):
            seen = self.on_sight.next(lambda _: self._is_found(name))
            try:
                await with_timeout(timeout, seen)
            except TimeoutError:
                what = f"{name.replace('_', ' ')} was not seen within {timeout:g} s"
                text = f"{what}: bring it to 0.1 to 0.3 m in front of the camera"
                raise RobotError(Reason.NOT_SEEN, text) from None
        return self.object(name)

    def _now(self) -> float:
        """Return the time of a picture that would have been searched now."""
        return asyncio.get_running_loop().time() - self._latency

    def _is_found(self, name: str) -> bool:
        thing = self.object(name)
        return thing.is_visible and thing.state is not PoseState.UNKNOWN

    # -- pictures

    def _on_image(self, image: Image) -> None:
        """Let the newest picture replace one that is still waiting."""
        self._newest = image
        self._is_new.set()

    async def _run(self) -> None:
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            assert self._newest is not None
            try:
                await self._search(self._newest)
            except Exception:
                self.failed += 1
                _log.exception("a picture was not searched")

    async def _search(self, image: Image) -> None:
        camera = self.camera
        loop = asyncio.get_running_loop()
        try:
            markers = await loop.run_in_executor(self._executor, self._detect, image)
        except ValueError as error:
            self.failed += 1
            _log.debug("a picture is damaged: %s", error)
            return
        await self._await_state(image.time)
        self._latency = loop.time() - image.time
        moment = self.world.history.at(image.time)
        drop = self.world.on_picture(image.time, observations_of(markers, camera))
        self._kept_mount.update()
        known = None if isinstance(moment, Drop) else moment
        if known is None:
            self._detector.on_turn()
        self.on_sight.emit(Sight(image, tuple(markers), camera, known, drop))

    def _detect(self, image: Image) -> list[Marker]:
        return self._detector.detect(as_gray(image.pixels()))

    async def _await_state(self, time: float) -> None:
        """Wait for a state as new as a picture, but not for long; poses are never extrapolated."""
        last = self.world.history.last
        if last is None or last.stamp < time:
            newer = self._robot.on_odometry.next(lambda odometry: odometry.time >= time)
            with suppress(TimeoutError):
                await with_timeout(_STATE_TIMEOUT, newer)

    # -- the robot

    def _on_odometry(self, odometry: Odometry) -> None:
        state = self._robot.state
        assert state is not None
        center = odometry.pose.compose(DRIVE_CENTER)
        before, self._head = self._head, (state.robot_time, state.head_angle)
        elapsed = state.robot_time - before[0]
        # Rates by angles: the gyroscope's are moments of a head that shakes while the robot drives.
        head_rate = (state.head_angle - before[1]) / elapsed if elapsed > 0.0 else 0.0
        self.world.on_robot(
            RobotMoment(
                odometry.time,
                center.x,
                center.y,
                center.yaw,
                state.head_angle,
                state.lift_angle,
                odometry.angular_velocity,
                head_rate,
                pitch=-state.pitch,
                is_moving=state.is_moving,
                is_on_treads=not state.is_off_ground,
                is_on_charger=state.is_on_charger,
                origin=self._origin,
            )
        )
        if state.is_carrying_cube is not self._is_carrying:
            self._is_carrying = state.is_carrying_cube
            on_carrying(self.world, self._is_carrying)

    def _on_identity(self, identity: Identity) -> None:
        self._kept_mount.on_serial(identity.head_serial)

    def _on_delocalized(self, _: str | Pose2D) -> None:
        self._origin += 1

    def _on_relocalized(self, relocalized: Relocalized) -> None:
        if relocalized.frame_id == 0:
            self._origin += 1

    def _on_calibration(self, calibration: CameraCalibration) -> None:
        one = calibration
        try:
            self.camera = Camera(
                one.fx, one.fy, one.cx, one.cy, one.distortion, one.width, one.height
            )
        except CalibrationError as error:
            _log.warning("the camera's calibration is not used: %s", error)
            return
        self.world.lens = lens_of(self.camera)

    # -- cubes

    def _on_cubes(self, cubes: Iterable[Cube]) -> None:
        connected = {cube.kind: cube for cube in cubes if cube.is_connected}
        for kind in LIGHT_CUBES:
            cube = connected.get(kind)
            if cube is None:
                self.world.on_connection(_name_of(kind), None)
            else:
                self.world.on_connection(_name_of(kind), cube.slot, up_side(cube.up_axis))

    def _on_cube_event(self, event: CubeEvent) -> None:
        if event.cube.kind not in LIGHT_CUBES:
            return
        name = _name_of(event.cube.kind)
        if event.type is CubeEventType.MOVED:
            self.world.on_moved(name, event.time)
        elif event.type is CubeEventType.STOPPED:
            self.world.on_stopped(name)
        elif event.type in (CubeEventType.TAPPED, CubeEventType.DOUBLE_TAPPED):
            self.world.on_tapped(name, event.time)

    def _on_pose_state(self, name: str, before: PoseState, after: PoseState) -> None:
        self.on_object.emit(self.object(name))


def _name_of(kind: CubeKind) -> str:
    return f"cube_{kind.value}"

"""Perception of a robot for a program without ROS, in asyncio: it converts and schedules."""

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
    CameraCalibration,
    Cube,
    CubeEvent,
    Identity,
    Image,
    Odometry,
    OffTreads,
    Reason,
    Robot,
    RobotError,
    RobotState,
    Signal,
    data_directory,
)
from .detection.camera import CalibrationError, Camera
from .detection.markers import Marker, as_gray
from .detection.objects import TaggedObject
from .detection.poses import marker_poses, resolve_ambiguity
from .detection.quads import Gray
from .detection.template_file import learning_advice
from .detection.templates import Template
from .kept_mount import KeptMount
from .perception import STATE_TIMEOUT, CameraFrame, ConnectedCube, Perception
from .world.frames import inverse
from .world.objects import LocatedObject, PoseState
from .world.pose_history import SETTLING, Drop, StampedState
from .world.world_model import WorldModel

Matrix = npt.NDArray[np.float64]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """What an image shows."""

    image: Image
    frame: CameraFrame
    state: StampedState | None
    """The robot at the image's time, also while it turns; None where that is not known."""

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The largest first."""
        return tuple(self.frame.markers)

    @property
    def camera(self) -> Camera:
        return self.frame.camera

    @property
    def moment(self) -> StampedState | None:
        """``state`` by its former name, as long as there is ``cozmo_driver.eyes``."""
        return self.state

    @property
    def drop(self) -> Drop | None:
        """Why objects were not placed by it."""
        return self.frame.drop

    def pose_of(self, marker: Marker) -> Matrix | None:
        """Return the pose of a marker in odom, 4x4, m; None where it cannot be known.

        Its frame has x to its right, y into it, z up.
        """
        if self.state is None or marker.size is None:
            return None
        poses = marker_poses(marker.own_corners, marker.size, self.camera)
        eye = self.state.camera
        return eye @ resolve_ambiguity(poses, eye[2, :3]).matrix if poses else None


class RobotPerception:
    """Finds markers in the images of a robot's camera, and keeps track of what carries them.

    Use it in the robot's loop, as ``async with RobotPerception(robot) as perception``. Images are
    searched in a thread of its own, always the newest one; the link never waits for it.
    """

    def __init__(
        self,
        robot: Robot,
        templates: Sequence[Template] = (),
        objects: Sequence[TaggedObject] = (),
        directory: Path | None = None,
        settling: float = SETTLING,
    ) -> None:
        """Know our own markers, these templates (``load_templates``) and objects (``objects_of``).

        What is learnt of how a robot's camera is mounted is kept in ``directory``, by default in
        ``data_directory()``. ``settling``: s at the start of the images that place nothing.
        """
        self.on_detections: Signal[Detections] = Signal()
        """Every image."""
        self.on_object: Signal[LocatedObject] = Signal()
        """An object of which it has changed how well its place is known."""
        self.core = Perception(templates, objects, settling)
        self.world.on_state = self._on_pose_state
        mounting = self.world.camera.mounting
        kept = directory or data_directory()
        self._kept_mount = KeptMount(mounting, kept, self.core.set_prints)
        self.failed = 0
        """Images that could not be searched."""
        self._robot = robot
        self._latency = 0.0
        self._newest: Image | None = None
        self._is_new = asyncio.Event()

    async def __aenter__(self) -> RobotPerception:
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
            robot.cubes.on_change.connect(self._on_cubes),
            robot.cubes.on_event.connect(self._on_cube_event),
            robot.on_image.connect(self._on_image),
        ]
        self._executor = ThreadPoolExecutor(1, "cozmo-perception")
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
    def world(self) -> WorldModel:
        return self.core.world

    @property
    def camera(self) -> Camera:
        """Of the robot; a typical one until its own is known."""
        return self.world.intrinsics

    @property
    def objects(self) -> list[LocatedObject]:
        """Cubes 1 to 3, the charger and the objects that were given, located or not."""
        return self.core.objects(self._now())

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
            seen = self.on_detections.next(lambda _: self._is_found(name))
            try:
                await with_timeout(timeout, seen)
            except TimeoutError:
                what = f"{name.replace('_', ' ')} was not seen within {timeout:g} s"
                text = f"{what}: bring it to 0.1 to 0.3 m in front of the camera"
                raise RobotError(Reason.NOT_SEEN, text + learning_advice(name)) from None
        return self.object(name)

    def _now(self) -> float:
        """Return the time of an image that would have been searched now."""
        return asyncio.get_running_loop().time() - self._latency

    def _is_found(self, name: str) -> bool:
        thing = self.object(name)
        return thing.is_visible and thing.state is not PoseState.UNKNOWN

    # -- images

    def _on_image(self, image: Image) -> None:
        """Let the newest image replace one that is still waiting."""
        if self._is_new.is_set():
            self.core.drop(Drop.REPLACED)
        self._newest = image
        self._is_new.set()

    async def _run(self) -> None:
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            assert self._newest is not None
            try:
                await self._look_at(self._newest)
            except Exception:
                self.failed += 1
                _log.exception("an image was not searched")

    async def _look_at(self, image: Image) -> None:
        loop, core = asyncio.get_running_loop(), self.core
        try:
            gray = await loop.run_in_executor(self._executor, _gray_of, image)
        except ValueError as error:
            self.failed += 1
            core.drop(Drop.UNREADABLE)
            _log.debug("an image is damaged: %s", error)
            return
        await self._await_state(image.time)
        frame = core.admit(image.time, gray)
        if frame is None:
            return
        # A program may follow what it sees also while the robot turns.
        await loop.run_in_executor(self._executor, core.search, frame, True)
        self._latency = loop.time() - image.time
        core.place(frame)
        self._kept_mount.update()
        found = self.world.history.at(image.time)
        state = None if isinstance(found, Drop) else found
        self.on_detections.emit(Detections(image, frame, state))

    async def _await_state(self, time: float) -> None:
        if not self.core.now >= time:
            newer = self._robot.on_odometry.next(lambda odometry: odometry.time >= time)
            with suppress(TimeoutError):
                await with_timeout(STATE_TIMEOUT, newer)

    # -- the robot

    def _on_odometry(self, odometry: Odometry) -> None:
        assert self._robot.state is not None
        sets = self._robot.localization.odometry_sets
        is_at_cliff = self._robot.cliff.is_detected
        self.core.on_robot(state_of(self._robot.state, odometry, sets, is_at_cliff=is_at_cliff))

    def _on_identity(self, identity: Identity) -> None:
        self._kept_mount.on_serial(identity.head_serial)

    def _on_calibration(self, calibration: CameraCalibration) -> None:
        try:
            self.core.on_calibration(camera_of_calibration(calibration))
        except CalibrationError as error:
            _log.warning("the camera's calibration is not used: %s", error)

    def _on_cubes(self, cubes: Iterable[Cube]) -> None:
        connected: dict[int, ConnectedCube] = {
            cube.kind: ConnectedCube(cube.slot, int(cube.up_axis), cube.factory_id)
            for cube in cubes
            if cube.is_connected and cube.slot is not None
        }
        self.core.on_cubes(connected)

    def _on_cube_event(self, event: CubeEvent) -> None:
        self.core.on_cube_event(event.cube.kind, event.type, event.time)

    def _on_pose_state(self, name: str, before: PoseState, after: PoseState) -> None:
        self.on_object.emit(self.object(name))


def state_of(
    state: RobotState, odometry: Odometry, odometry_sets: int, *, is_at_cliff: bool
) -> StampedState:
    """Return a state as perception takes it, with where the robot was then."""
    center = odometry.pose.compose(DRIVE_CENTER)
    return StampedState(
        odometry.time,
        center.x,
        center.y,
        center.yaw,
        state.head_angle,
        state.lift_angle,
        odometry.angular_velocity,
        pitch=-state.pitch if math.isfinite(state.pitch) else None,
        is_moving=state.is_moving,
        is_on_treads=state.off_treads is OffTreads.ON_TREADS,
        is_on_charger=state.is_on_charger,
        is_at_cliff=is_at_cliff,
        is_carrying=state.is_carrying_cube,
        # Neither falls, so that every change shows.
        origin_id=state.origin_id + odometry_sets,
        spread=math.sqrt(odometry.position_variance),
    )


def camera_of_calibration(one: CameraCalibration) -> Camera:
    """Return the camera of a robot's calibration. Raises ``CalibrationError``."""
    return Camera(one.fx, one.fy, one.cx, one.cy, one.distortion, one.width, one.height)


def _gray_of(image: Image) -> Gray:
    return as_gray(image.pixels())

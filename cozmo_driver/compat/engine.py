"""One robot for a program that knows nothing of our loop: it lives in a thread of its own.

So neither a program that blocks nor one that sleeps within a coroutine disturbs the link.
Distances here are those of ``robot``: m, rad, s.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..animation import Player, Speech, load_assets
from ..face import NEUTRAL, render
from ..link import LoopThread, with_timeout
from ..manipulation import RobotManipulator
from ..perception import (
    TEMPLATES_FILE,
    Detections,
    LocatedObject,
    RobotPerception,
    TemplateFileError,
    load_templates,
)
from ..planning import Box
from ..protocol import NotConnected
from ..robot import (
    LIGHT_CUBES,
    BackpackLights,
    CameraOptions,
    CubeKind,
    DriveLimits,
    Owner,
    Phase,
    Reason,
    Refused,
    Robot,
    RobotError,
    RobotOptions,
    RobotState,
    SessionState,
    Signal,
    data_directory,
    steady,
    uniform_lights,
)
from ..robot import Color as RobotColor
from .face_watch import FaceWatch

_log = logging.getLogger(__name__)
_CONNECTING = 20.0
"""s in which a robot must answer and be ready: calibrating head and lift takes some of them."""
_ATTEMPTS = 2
"""To reach it: the first may come to nothing on a busy computer or a bad Wi-Fi."""
_FASTEST_TURN = 10.0
"""rad/s: the SDK limits treads, not turns."""
_WARM = 3.0
"""s in which the first good image should have come."""
_ON_THE_WAY, _HELD_UP = 100, 1.0
"""Commands that may wait for the robot's loop, and s that one more waits for its turn."""
_CUBES_HEARD = 5.0
"""s that a program waits for cubes, at its start and later (spec 21 §5)."""

_threads: list[LoopThread] = []
_open_engines: set[Engine] = set()


def engine_thread() -> LoopThread:
    """Return the thread of all robots of this process."""
    if not _threads:
        _threads.append(LoopThread("cozmo-robot"))
    return _threads[0]


def close_all() -> None:
    """Let every robot stand whose connection the program has left open."""
    for engine in tuple(_open_engines):
        with suppress(Exception):
            engine.submit(engine.close()).result(_CONNECTING)


class Sight:
    """What was known of the objects after an image: what is in it, and where."""

    __slots__ = ("boxes", "objects", "time")

    def __init__(
        self,
        time: float,
        objects: dict[str, LocatedObject],
        boxes: dict[str, tuple[float, float, float, float]],
    ) -> None:
        """``boxes``: of the objects in the image, in pixels: left, top, width, height."""
        self.time, self.objects, self.boxes = time, objects, boxes


class ProgramManipulator(RobotManipulator):
    """Knows what the program declared to be in the way, too."""

    def __init__(self, robot: Robot, engine: Engine) -> None:
        super().__init__(robot)
        self._engine = engine
        self.declared: list[Box] = []

    def see_with(self, perception: RobotPerception | None) -> None:
        self._world = None if perception is None else perception.world

    @property
    def obstacles(self) -> list[Box]:
        return [*super().obstacles, *self.declared]


class Engine:
    """A robot and what a program needs above it. Everything runs in ``thread``'s loop."""

    def __init__(self, address: str, port: int) -> None:
        self.thread = engine_thread()
        self.address, self.port = address, port
        self.on_sight: Signal[Sight] = Signal()
        self.faces = FaceWatch()
        self.name_to_enroll = ""
        """Of the face that the behaviour EnrollFace looks at."""
        self.is_streaming = False
        """Whether the program wants images."""
        self.is_open = False
        self.perception: RobotPerception | None = None
        self.sight = Sight(0.0, {}, {})
        self._is_warm = False
        """Whether the camera stays on for images that the program may want at any time."""
        self.picture: object = None
        """What a program shows on the face."""
        self._driven: tuple[float, float] | None = None
        """Speeds of the treads that last until the program changes them, m/s."""
        self._silences = 0
        """Those of ``Motion`` by the time of that command."""
        self._room = threading.Semaphore(_ON_THE_WAY)
        self._stack = AsyncExitStack()
        self._starting: asyncio.Task[None] | None = None

    # -- from any thread

    def post(self, function: Callable[..., object], *values: Any) -> None:
        """Call in the robot's loop, soon; what cannot be done is logged.

        A program that commands without end waits for its turn: the link goes first. Calls and
        what is submitted begin in the order of their commands.
        """
        if not self.is_open:
            return
        is_elsewhere = threading.get_ident() != self.thread.ident
        is_counted = is_elsewhere and self._room.acquire(timeout=_HELD_UP)

        def call() -> None:
            if is_counted:
                self._room.release()
            _try(function, *values)

        # What is submitted begins one turn of the loop later, too.
        self.thread.loop.call_soon_threadsafe(self.thread.loop.call_soon, call)

    def submit(self, work: Coroutine[Any, Any, Any]) -> concurrent.futures.Future[Any]:
        """Run a coroutine in the robot's loop."""
        return self.thread.submit(work)

    # -- in the robot's loop

    async def open(self, **options: Any) -> None:
        """Connect. Raises ``RobotError``."""
        own: dict[str, Any] = {
            "camera": CameraOptions(enabled=False, auto_exposure=True),
            "limits": DriveLimits(yaw_rate=_FASTEST_TURN),
            **options,
        }
        self.robot = Robot(RobotOptions(self.address, self.port, **own))
        robot = self.robot
        robot.on_state.connect(self._drive_on)
        robot.motion.wheels.on_owner.connect(self._on_owner)
        robot.on_session.connect(self._on_session)
        self.manipulator = ProgramManipulator(robot, self)
        assets = load_assets()
        self.player = Player(robot, assets.library, assets.sounds)
        self.speech = Speech(robot)
        ready = asyncio.get_running_loop().create_future()

        def check(_: object) -> None:
            if ready.done():
                return
            if robot.session.is_ready and robot.state is not None:
                ready.set_result(None)
            elif self.session.phase is Phase.WAITING and self.session.attempts >= _ATTEMPTS:
                ready.set_exception(RobotError(Reason.NOT_CONNECTED, self.session.text))

        leave = [robot.on_session.connect(check), robot.on_state.connect(check)]
        await robot.start()
        try:
            await with_timeout(_CONNECTING, ready)
        except BaseException as error:
            await robot.stop()
            if isinstance(error, TimeoutError):
                text = f"the robot was not ready within {_CONNECTING:g} s"
                raise RobotError(Reason.TIMEOUT, text) from None
            raise
        finally:
            for disconnect in leave:
                disconnect()
        self.is_open = True
        _open_engines.add(self)
        self._stack.push_async_callback(robot.stop)

    def rest(self, eyes: bool = True) -> None:
        """Make it as programs of the SDK find it: still, dark, looking neutral."""
        self.stand()
        self.set_backpack(BackpackLights())
        if eyes:
            self.show_eyes()

    async def close(self) -> None:
        """Stop everything and disconnect."""
        self.is_open = False
        _open_engines.discard(self)
        robot = self.robot
        with suppress(Exception):
            self.player.stop()
            self.speech.stop()
            self.stand()
            robot.display.clear()
            robot.backpack.release()
            for cube in robot.cubes.all:
                if cube.is_connected:
                    robot.cubes.release_lights(factory_id=cube.factory_id)
        if self._starting is not None:
            self._starting.cancel()
        await self._stack.aclose()

    async def connect_cubes(self) -> None:
        """Connect the three cubes, and wait for them as long as it makes sense."""
        await _each_cube(partial(self.robot.cubes.connect, timeout=_CUBES_HEARD))

    async def disconnect_cubes(self) -> None:
        """Let go of the three cubes; one that does not answer holds up no other."""
        await _each_cube(self.robot.cubes.disconnect)

    # -- motors

    def drive(self, left: float, right: float) -> None:
        """Drive at the treads' m/s until told otherwise. Raises ``Refused``, ``ValueError``.

        What a silence of the robot stops or holds up goes on with its next state: programs command
        a speed once (spec 21 §3).
        """
        motion = self.robot.motion
        self._driven, self._silences = None, motion.silences
        try:
            motion.drive((left + right) / 2, (right - left) / motion.limits.track_width)
        except Refused as error:
            if error.reason is not Reason.LINK_LOST:
                raise
        self._driven = (left, right) if left or right else None

    def stand(self) -> None:
        """Stop wheels, head and lift."""
        self._driven = None
        self.robot.motion.stop()

    def _drive_on(self, _: RobotState) -> None:
        if self._driven is not None and self.robot.motion.wheels.owner is Owner.NONE:
            _try(self.drive, *self._driven)

    def _on_owner(self, owner: Owner) -> None:
        """Forget the speeds when anything but a silence ends the driving."""
        is_silent = owner is Owner.NONE and self.robot.motion.silences > self._silences
        if owner is not Owner.TOPIC and not is_silent:
            self._driven = None

    def _on_session(self, state: SessionState) -> None:
        if state.has_ended:
            self._driven = None

    # -- camera and vision

    def stream(self, is_wanted: bool) -> None:
        """Switch the images for the program on or off; vision keeps those it needs."""
        self.is_streaming = is_wanted
        is_on = is_wanted or self._is_warm or self._starting is not None
        if self.robot.camera.is_enabled is not is_on:
            self.robot.camera.enable(is_on)

    async def warm_up(self) -> None:
        """Let the camera run: its first images are useless, and programs do not wait for others."""
        self._is_warm = True
        self.robot.camera.enable(True)
        with suppress(TimeoutError):
            await with_timeout(_WARM, self.robot.on_image.next())

    async def look_ahead(self) -> None:
        """Raise the head from where its calibration leaves it, so that cubes ahead are seen."""
        with suppress(RobotError):
            await self.robot.joints.move_head(0.0)

    def look(self) -> None:
        """Begin to look for objects; it goes on to the end."""
        if self._starting is None and self.is_open:
            self._starting = asyncio.ensure_future(self._look())

    def look_for_faces(self) -> None:
        """Begin to look for faces, too; it goes on to the end."""
        if self.is_open:
            self.look()
            self.faces.start()

    async def look_now(self) -> None:
        """Look for objects from now on."""
        self.look()
        if self._starting is not None:
            await self._starting

    async def _look(self) -> None:
        path = data_directory() / TEMPLATES_FILE
        try:
            templates = await asyncio.to_thread(load_templates, path)
        except TemplateFileError as error:
            _log.warning("%s", error)
            templates = []
        perception = RobotPerception(self.robot, templates)
        await self._stack.enter_async_context(perception)
        for take in (self._on_detections, self.faces.on_detections):
            self._stack.callback(perception.on_detections.connect(take))
        self.perception = perception
        self.manipulator.see_with(perception)

    def _on_detections(self, seen: Detections) -> None:
        boxes: dict[str, tuple[float, float, float, float]] = {}
        for marker in seen.markers:
            if marker.name is None or seen.frame.state is None:
                continue
            low, high = marker.corners.min(axis=0), marker.corners.max(axis=0)
            width, height = high - low
            boxes.setdefault(marker.name, (float(low[0]), float(low[1]), width, height))
        self.refresh(seen.image.time, boxes)

    def refresh(
        self, time: float = 0.0, boxes: dict[str, tuple[float, float, float, float]] | None = None
    ) -> None:
        """Tell what is known of the objects now."""
        if self.perception is not None:
            objects = {one.name: one for one in self.perception.objects}
            self.sight = Sight(time, objects, boxes or {})
            self.on_sight.emit(self.sight)

    # -- face and lights

    def show_eyes(self) -> None:
        self.robot.display.show(neutral_eyes())

    def set_backpack(self, lights: BackpackLights) -> None:
        self.robot.backpack.set(lights)

    def darken_cubes(self) -> None:
        """Switch the lights of all connected cubes off."""
        dark = steady(RobotColor())
        for cube in self.robot.cubes.all:
            if cube.is_connected and cube.kind is not CubeKind.CHARGER:
                self.robot.cubes.set_lights(uniform_lights(dark), factory_id=cube.factory_id)

    @property
    def session(self) -> SessionState:
        return self.robot.session_state


def _try(function: Callable[..., object], *values: Any) -> None:
    """Call; what cannot be done is logged."""
    try:
        function(*values)
    except NotConnected as error:
        # The connection's end is told by the connection.
        _log.debug("%s", error)
    except (RobotError, ValueError) as error:
        _log.warning("%s", error)


async def _each_cube(act: Callable[[CubeKind], Awaitable[object]]) -> None:
    """Do it to all three at once; what fails with one is left out."""
    await asyncio.gather(*map(act, LIGHT_CUBES), return_exceptions=True)


def neutral_eyes() -> npt.NDArray[np.bool_]:
    """Return the face at rest: 64 rows of 128 pixels."""
    return np.asarray(render(NEUTRAL.face, None)) > 0

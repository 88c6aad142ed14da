"""``cozmo.world``: what the robot sees and knows around it (spec 21 §5)."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...perception import LocatedObject
from ...robot import Cube, CubeEvent, CubeEventType, Image
from . import logs
from .annotate import ImageAnnotator
from .camera import EvtNewRawCameraImage, pil_image
from .event import Dispatcher, Event
from .exceptions import TimedOut
from .faces import EvtFaceObserved, Face
from .objects import (
    Charger,
    CustomObject,
    EvtObjectConnectChanged,
    EvtObjectObserved,
    LightCube,
    LightCubeIDs,
    ObservableElement,
    ObservableObject,
)
from .pets import EvtPetObserved, Pet
from .pose import Pose, Vector3
from .sync import limited
from .util import ImageBox, Timeout
from .world_custom import CustomObjects
from .world_faces import SeenFaces
from .world_map import MapMaker

if TYPE_CHECKING:
    from ..engine import Engine, Sight
    from .robot import Robot


class EvtNewCameraImage(Event):
    """Triggered when an image has come, with what can be drawn on it."""

    image = "The CameraImage"


class CameraImage:
    """An image of the camera."""

    def __init__(self, raw_image: Any, image_annotator: ImageAnnotator, image_number: int) -> None:
        self.raw_image, self.image_annotator = raw_image, image_annotator
        self.image_number, self.image_recv_time = image_number, time.time()

    def annotate_image(
        self, scale: float | None = None, fit_size: Any = None, resample_mode: int = 0
    ) -> Any:
        """Return a copy of it, scaled, with what the annotators draw."""
        return self.image_annotator.annotate_image(
            self.raw_image, scale=scale, fit_size=fit_size, resample_mode=resample_mode
        )


class World(CustomObjects, SeenFaces, Dispatcher):
    """Everything around one robot."""

    light_cube_factory: Any = LightCube
    charger_factory: Any = Charger
    pet_factory: Any = Pet
    annotator_factory: Any = ImageAnnotator

    def __init__(self, conn: Any, robot: Robot, engine: Engine, **named: Any) -> None:
        super().__init__(**named)
        self.conn, self._conn, self.robot, self._robot = conn, conn, robot, robot
        self._engine = engine
        self._object_ids = itertools.count(1)
        self._objects: dict[int, Any] = {}
        self._pets: dict[int, Pet] = {}
        self.charger: Charger | None = None
        self.latest_image: CameraImage | None = None
        self._image_numbers = itertools.count()
        self._newest_image: Image | None = None
        self._init_custom()
        self._init_faces()
        self.light_cubes: dict[int, LightCube] = {}
        for cube_id in LightCubeIDs:
            self.light_cubes[cube_id] = self._make(self.light_cube_factory, cube_id)
        self.image_annotator = self.annotator_factory(self)
        self._map = MapMaker(self)
        self._is_filtering_taps = False
        self._last_sight = 0.0

    def _make(self, factory: Any, *values: Any) -> Any:
        return factory(*values, self._conn, self, dispatch_parent=self)

    # -- what is there

    @property
    def visible_objects(self) -> Iterator[ObservableObject]:
        self._look()
        known: list[Any] = [*self.light_cubes.values(), *self._objects.values()]
        return iter([one for one in known if one.is_visible])

    @property
    def visible_pets(self) -> Iterator[Pet]:
        return iter([pet for pet in self._pets.values() if pet.is_visible])

    def visible_pet_count(self) -> int:
        return len(list(self.visible_pets))

    @property
    def connected_light_cubes(self) -> Iterator[LightCube]:
        return iter([cube for cube in self.light_cubes.values() if cube.is_connected])

    @property
    def active_behavior(self) -> Any:
        return self._robot.current_behavior

    def get_light_cube(self, cube_id: int) -> LightCube | None:
        """Return a cube that is known by radio or sight, else None. Raises ``ValueError``."""
        if cube_id not in LightCubeIDs:
            raise ValueError(f"there are the cubes {LightCubeIDs}, not {cube_id!r}")
        cube = self.light_cubes[cube_id]
        return cube if cube.object_id is not None else None

    # -- waiting

    async def wait_for_observed_light_cube(
        self, timeout: float | None = None, include_existing: bool = True
    ) -> Any:
        return await self._wait_for_observed(LightCube, timeout, include_existing)

    async def wait_for_observed_charger(
        self, timeout: float | None = None, include_existing: bool = True
    ) -> Any:
        return await self._wait_for_observed(Charger, timeout, include_existing)

    async def wait_for_observed_face(
        self, timeout: float | None = None, include_existing: bool = True
    ) -> Any:
        """Return a face that is in sight. Raises ``asyncio.TimeoutError``."""
        return await self._wait_for_observed(Face, timeout, include_existing)

    async def wait_for_observed_pet(
        self, timeout: float | None = None, include_existing: bool = True
    ) -> Any:
        return (await self.wait_for(EvtPetObserved, timeout=timeout)).pet

    async def _wait_for_observed(
        self, kind: type[ObservableElement], timeout: float | None, include_existing: bool
    ) -> Any:
        """Return an object of a kind that is in sight. Raises ``asyncio.TimeoutError``."""
        found = await self._observe(kind, 1, timeout, include_existing)
        if not found:
            raise TimedOut
        return found[0]

    async def _observe(
        self,
        kind: type[ObservableElement],
        num: int,
        timeout: float | None,
        include_existing: bool = True,
    ) -> list[Any]:
        """Return ``num`` different objects that were in sight, or fewer after ``timeout`` s."""
        self._raise_ended()
        is_face = issubclass(kind, Face)
        known: Iterator[Any] = self.visible_faces if is_face else self.visible_objects
        found = [one for one in known if isinstance(one, kind)] if include_existing else []
        enough: asyncio.Future[None] = self._loop.create_future()

        def take(event: Any, **_: Any) -> None:
            # Several are seen in one image.
            one = event.face if is_face else event.obj
            if isinstance(one, kind) and one not in found:
                found.append(one)
            if len(found) >= num and not enough.done():
                enough.set_result(None)

        if len(found) >= num:
            return found
        wanted: Any = EvtFaceObserved if is_face else EvtObjectObserved
        handler = self.add_event_handler(wanted, take)
        self._futures.add(enough)
        try:
            await limited(enough, timeout)
        except asyncio.TimeoutError:
            pass
        finally:
            handler.disable()
            self._futures.discard(enough)
        return found

    async def wait_until_observe_num_objects(
        self,
        num: int,
        object_type: type[ObservableElement] | None = None,
        timeout: float | None = None,
        include_existing: bool = True,
    ) -> list[Any]:
        """Return at least ``num`` objects that were in sight, fewer after ``timeout`` s."""
        kind = object_type or ObservableObject
        return await self._observe(kind, num, timeout, include_existing)

    async def wait_until_num_objects_visible(
        self,
        num: int,
        object_type: type[ObservableObject] | None = None,
        timeout: float | None = None,
    ) -> int:
        """Return how many are in sight, once these are enough. Raises ``asyncio.TimeoutError``."""
        self._look()
        kind = object_type or ObservableObject
        limit = Timeout(timeout or None)
        while True:
            count = sum(isinstance(one, kind) for one in self.visible_objects)
            if count >= num:
                return count
            left = limit.remaining
            if left == 0.0:
                raise TimedOut
            await self.wait_for(EvtObjectObserved, timeout=left)

    # -- cubes by radio

    async def connect_to_cubes(self) -> bool:
        """Connect all three; return whether all are."""
        await asyncio.wrap_future(self._engine.submit(self._engine.connect_cubes()))
        self._on_cubes(self._engine.robot.cubes.all)
        return all(cube.is_connected for cube in self.light_cubes.values())

    def disconnect_from_cubes(self) -> None:
        """Let go of all cubes."""
        self._engine.submit(self._engine.disconnect_cubes())

    def auto_disconnect_from_cubes_at_end(self, enable: bool = True) -> None:
        """Cubes always sleep at the end here, once the robot has gone."""

    def enable_block_tap_filter(self, enable: bool = True) -> None:
        """Tell of strong taps only."""
        self._is_filtering_taps = bool(enable)

    def _note_unheard(self, cube: LightCube) -> None:
        logs.note(f"cube {cube.cube_id} was never heard by radio: its lights stay as they are")

    def _on_cubes(self, cubes: tuple[Cube, ...]) -> None:
        """Take over what is known of the cubes by radio."""
        # Of several of a kind the connected one counts.
        known = sorted(cubes, key=lambda one: one.is_connected)
        for number, one in {int(one.kind): one for one in known}.items():
            cube = self.light_cubes.get(number)
            if cube is None:
                continue
            if one.is_connected is not cube.is_connected:
                self._identify(cube)
                cube.is_connected = one.is_connected
                event = EvtObjectConnectChanged(obj=cube, connected=one.is_connected)
                cube.dispatch_event(event)
            volts = one.battery_voltage
            cube.battery_voltage = volts if volts == volts else cube.battery_voltage
            if one.is_connected and cube._pose is None:
                cube._pose = Pose(0, 0, 0, 1, 0, 0, 0)

    def _identify(self, thing: Any) -> None:
        """Give an object its number at the first contact."""
        if thing.object_id is None:
            thing._object_id = next(self._object_ids)

    def _on_cube_event(self, event: CubeEvent) -> None:
        cube = self.light_cubes.get(int(event.cube.kind))
        if cube is None:
            return
        kind, push = event.type, event.acceleration
        if kind in (CubeEventType.TAPPED, CubeEventType.DOUBLE_TAPPED):
            if not self._is_filtering_taps or event.tap_intensity >= _FIRM_TAP:
                count = 2 if kind is CubeEventType.DOUBLE_TAPPED else 1
                cube._tapped(count, event.tap_intensity)
        elif kind is CubeEventType.MOVED:
            parts = (0.0, 0.0, 0.0) if push is None else (push.x, push.y, push.z)
            cube._started_moving(Vector3(*(1000 * part for part in parts)))
        elif kind in (CubeEventType.STOPPED, CubeEventType.DISCONNECTED):
            # One that was lost tells nothing more.
            cube._stopped_moving()

    # -- images and sights, in the program's loop

    def _look(self) -> None:
        self._engine.post(self._engine.look)

    def _on_image(self, image: Image) -> None:
        try:
            raw = pil_image(image)
        except ValueError:
            return
        made = CameraImage(raw, self.image_annotator, next(self._image_numbers))
        self.latest_image = made
        self._robot.last_image_robot_timestamp = round(image.time * 1000)
        self._robot.camera.dispatch_event(EvtNewRawCameraImage(image=raw))
        self.dispatch_event(EvtNewCameraImage(image=made))

    def _on_sight(self, sight: Sight) -> None:
        """Take over what is known of the objects, and what the latest image shows."""
        for name, known in sight.objects.items():
            thing = self._thing(name, known)
            if thing is None:
                continue
            pose = self._robot._pose_of(known)
            box = sight.boxes.get(name)
            if box is not None and pose is not None:
                self._identify(thing)
                thing._seen(ImageBox(*box), pose, {"pose", "image_box", "last_observed_time"})
            elif pose is not None:
                thing._pose = pose
            elif thing._pose is not None:
                thing._pose.invalidate()

    def _thing(self, name: str, known: LocatedObject) -> Any:
        """Return the program's object of one of ours; made where it is seen for the first time."""
        if name.startswith("cube_"):
            return self.light_cubes.get(int(name[5:]))
        if name == "charger":
            if self.charger is None and known.pose is not None:
                self._charger_found()
            return self.charger
        return self._custom_thing(name, known)

    def _charger_found(self) -> None:
        charger = self.charger = self._make_charger()
        self._identify(charger)
        self._objects[charger.object_id] = charger

    def _make_charger(self) -> Any:
        return self.charger_factory(self._conn, self, dispatch_parent=self)

    @property
    def custom_objects(self) -> Iterator[CustomObject]:
        return iter([one for one in self._objects.values() if isinstance(one, CustomObject)])

    # -- the map

    @property
    def nav_memory_map(self) -> Any:
        return self._map.latest

    def request_nav_memory_map(self, frequency_s: float) -> None:
        """Send the map every so many s; a negative number ends that."""
        self._map.request(frequency_s)


_FIRM_TAP = 60
"""Strength of a firm tap."""

"""``cozmo.objects``: what stands in the world (spec 21 §5)."""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Any

from ...robot import CubeKind, CubeLights, Refused, RobotError
from .custom_kinds import (
    CustomObjectMarkers,
    CustomObjectTypes,
    _CustomObjectMarker,
    _CustomObjectType,
)
from .event import Dispatcher, Event
from .lights import Light, check_light, off_light
from .object_events import (
    EvtObjectAppeared,
    EvtObjectAvailable,
    EvtObjectConnectChanged,
    EvtObjectConnected,
    EvtObjectDisappeared,
    EvtObjectLocated,
    EvtObjectMoving,
    EvtObjectMovingStarted,
    EvtObjectMovingStopped,
    EvtObjectObserved,
    EvtObjectTapped,
)
from .pose import Pose
from .util import ImageBox

if TYPE_CHECKING:
    from .conn import CozmoConnection
    from .world import World

__all__ = [
    "OBJECT_VISIBILITY_TIMEOUT",
    "Charger",
    "CustomObject",
    "CustomObjectMarkers",
    "CustomObjectTypes",
    "EvtObjectAppeared",
    "EvtObjectAvailable",
    "EvtObjectConnectChanged",
    "EvtObjectConnected",
    "EvtObjectDisappeared",
    "EvtObjectLocated",
    "EvtObjectMoving",
    "EvtObjectMovingStarted",
    "EvtObjectMovingStopped",
    "EvtObjectObserved",
    "EvtObjectTapped",
    "FixedCustomObject",
    "LightCube",
    "LightCube1Id",
    "LightCube2Id",
    "LightCube3Id",
    "LightCubeIDs",
    "ObservableElement",
    "ObservableObject",
    "_CustomObjectMarker",
    "_CustomObjectType",
]
LightCube1Id, LightCube2Id, LightCube3Id = 1, 2, 3
LightCubeIDs = [LightCube1Id, LightCube2Id, LightCube3Id]
OBJECT_VISIBILITY_TIMEOUT = 0.4
_CUBE_MM, _CHARGER_MM = (44.0, 44.0, 44.0), (104.0, 98.0, 10.0)
_EMPTY_CELL, _FULL_CELL = 1.0, 1.5
"""V of a cube's battery (spec 21 §5)."""
TAP_MS = 100
"""The robot does not tell how long a tap took."""


class ObservableElement(Dispatcher):
    """What can be seen."""

    visibility_timeout = OBJECT_VISIBILITY_TIMEOUT
    _events: tuple[type[Event], type[Event], type[Event]]
    _name = "obj"

    def __init__(
        self,
        conn: CozmoConnection | None = None,
        world: Any = None,
        robot: Any = None,
        **named: Any,
    ) -> None:
        super().__init__(**named)
        self._conn, self._world, self._robot = conn, world, robot
        self._pose: Pose | None = None
        self.last_observed_time: float | None = None
        self.last_observed_robot_timestamp: int | None = None
        self.last_observed_image_box: ImageBox | None = None
        self.last_event_time: float | None = None
        self._is_visible = False
        self._vanishing: asyncio.TimerHandle | None = None

    def _repr_values(self) -> str:
        return ""

    def __repr__(self) -> str:
        values = self._repr_values()
        return (
            f"<{type(self).__name__}{' ' if values else ''}{values} is_visible={self.is_visible}>"
        )

    @property
    def conn(self) -> Any:
        return self._conn

    @property
    def world(self) -> Any:
        return self._world

    @property
    def robot(self) -> Any:
        return self._robot

    @property
    def pose(self) -> Pose | None:
        return self._pose

    @property
    def time_since_last_seen(self) -> float:
        """s, infinite where it was never seen."""
        last = self.last_observed_time
        return math.inf if last is None else time.time() - last

    @property
    def is_visible(self) -> bool:
        """Whether it was seen not longer ago than it takes to vanish."""
        return self._is_visible

    def _seen(self, box: ImageBox | None, pose: Pose | None, updated: set[str]) -> None:
        """Take a sighting: tell of it, and of a later end of them."""
        observed, appeared, _ = self._events
        self._pose = pose
        self.last_observed_time = self.last_event_time = time.time()
        self.last_observed_image_box = box
        values = {self._name: self, "updated": updated, "image_box": box, "pose": pose}
        values["name"] = getattr(self, "name", "")
        known = {name: value for name, value in values.items() if name in observed._parameters}
        was_visible, self._is_visible = self._is_visible, True
        if not was_visible:
            self.dispatch_event(appeared(**known))
        self.dispatch_event(observed(**known))
        if self._vanishing is not None:
            self._vanishing.cancel()
        self._vanishing = self._loop.call_later(self.visibility_timeout, self._vanish)

    def _vanish(self) -> None:
        self._is_visible, self._vanishing = False, None
        self.dispatch_event(self._events[2](**{self._name: self}))


class ObservableObject(ObservableElement):
    """An object."""

    pickupable = False
    place_objects_on_this = False
    _events = EvtObjectObserved, EvtObjectAppeared, EvtObjectDisappeared
    _ours = ""
    """Its name in our perception."""

    def __init__(
        self,
        conn: CozmoConnection | None = None,
        world: Any = None,
        object_id: int | None = None,
        **named: Any,
    ) -> None:
        super().__init__(conn, world, **named)
        self._object_id = object_id

    def _repr_values(self) -> str:
        return f"object_id={self.object_id}"

    @property
    def object_id(self) -> int | None:
        return self._object_id

    @object_id.setter
    def object_id(self, value: int) -> None:
        self._object_id = value

    @property
    def descriptive_name(self) -> str:
        return f"{type(self).__name__} id={self.object_id}"


class LightCube(ObservableObject):
    """A light cube."""

    pickupable = True
    place_objects_on_this = True
    x_size_mm, y_size_mm, z_size_mm = _CUBE_MM

    def __init__(
        self,
        cube_id: int,
        conn: CozmoConnection | None = None,
        world: World | None = None,
        dispatch_parent: Dispatcher | None = None,
        **named: Any,
    ) -> None:
        super().__init__(conn, world, dispatch_parent=dispatch_parent, **named)
        self._cube_id = cube_id
        self._ours = f"cube_{cube_id}"
        self.is_connected = False
        self.is_moving = False
        self.battery_voltage: float | None = None
        self.last_tapped_time: float | None = None
        self.last_tapped_robot_timestamp: int | None = None
        self.last_moved_time: float | None = None
        self.last_moved_start_time: float | None = None
        self._corners: list[Light] = [off_light] * 4
        self._moving: asyncio.TimerHandle | None = None

    def _repr_values(self) -> str:
        return f"object_id={self.object_id} cube_id={self.cube_id}"

    @property
    def cube_id(self) -> int:
        return self._cube_id

    @property
    def descriptive_name(self) -> str:
        return f"Cube {self.cube_id} (id={self.object_id})"

    @property
    def battery_percentage(self) -> float | None:
        volts = self.battery_voltage
        if volts is None:
            return None
        share = (volts - _EMPTY_CELL) / (_FULL_CELL - _EMPTY_CELL)
        return 100.0 * min(1.0, max(0.0, share))

    @property
    def battery_str(self) -> str:
        volts, percent = self.battery_voltage, self.battery_percentage
        return "Unknown" if volts is None else f"{percent:.0f}%"

    def set_light_corners(self, light1: Any, light2: Any, light3: Any, light4: Any) -> None:
        """Set the four lights; None leaves one as it is. Raises ``TypeError``."""
        for index, light in enumerate((light1, light2, light3, light4)):
            if light is not None:
                self._corners[index] = check_light(light)
        first, second, third, fourth = (light._of_robot() for light in self._corners)
        lights = CubeLights((first, second, third, fourth))
        self._world._engine.post(self._show, lights)

    def _show(self, lights: CubeLights) -> None:
        try:
            self._world._engine.robot.cubes.set_lights(lights, CubeKind(self._cube_id))
        except (Refused, RobotError):
            # Never heard so far: there is nothing to light.
            self._world._note_unheard(self)

    def set_lights(self, light: Any) -> None:
        """Set all four lights. Raises ``TypeError``."""
        self.set_light_corners(light, light, light, light)

    def set_lights_off(self) -> None:
        self.set_lights(off_light)

    async def wait_for_tap(self, timeout: float | None = None) -> Any:
        """Return the next ``EvtObjectTapped`` of this cube. Raises ``asyncio.TimeoutError``."""
        return await self.wait_for(EvtObjectTapped, timeout=timeout)

    # -- what its radio says

    def _tapped(self, count: int, intensity: int) -> None:
        self.last_tapped_time = self.last_event_time = time.time()
        self.dispatch_event(
            EvtObjectTapped(obj=self, tap_count=count, tap_duration=TAP_MS, tap_intensity=intensity)
        )

    def _started_moving(self, acceleration: Any) -> None:
        if self.is_moving:
            return
        self.is_moving = True
        self.last_moved_start_time = self.last_moved_time = time.time()
        if self._pose is not None:
            self._pose.invalidate()
        self.dispatch_event(EvtObjectMovingStarted(obj=self, acceleration=acceleration))
        self._moves_on(acceleration)

    def _moves_on(self, acceleration: Any) -> None:
        self.last_moved_time = time.time()
        duration = self.last_moved_time - (self.last_moved_start_time or 0.0)
        if duration > 0.0 and self._moving is not None:
            self.dispatch_event(
                EvtObjectMoving(obj=self, acceleration=acceleration, move_duration=duration)
            )
        self._moving = self._loop.call_later(_MOVING_PERIOD, self._moves_on, acceleration)

    def _stopped_moving(self) -> None:
        if not self.is_moving:
            return
        self.is_moving = False
        if self._moving is not None:
            self._moving.cancel()
            self._moving = None
        duration = time.time() - (self.last_moved_start_time or time.time())
        self.dispatch_event(EvtObjectMovingStopped(obj=self, move_duration=duration))


_MOVING_PERIOD = 0.1
"""s between two events of a cube that moves."""


class Charger(ObservableObject):
    """The charger."""

    x_size_mm, y_size_mm, z_size_mm = _CHARGER_MM
    _ours = "charger"


class CustomObject(ObservableObject):
    """An object that the program has defined by its markers."""

    def __init__(
        self,
        conn: Any,
        world: Any,
        object_type: _CustomObjectType,
        x_size_mm: float,
        y_size_mm: float,
        z_size_mm: float,
        marker_width_mm: float,
        marker_height_mm: float,
        is_unique: bool,
        **named: Any,
    ) -> None:
        super().__init__(conn, world, **named)
        self.object_type = object_type
        self._sizes = x_size_mm, y_size_mm, z_size_mm
        self._marker = marker_width_mm, marker_height_mm
        self._is_unique = is_unique

    def _repr_values(self) -> str:
        x, y, z = self._sizes
        return f"object_type={self.object_type} object_id={self.object_id} size=({x}, {y}, {z})"

    @property
    def x_size_mm(self) -> float:
        return self._sizes[0]

    @property
    def y_size_mm(self) -> float:
        return self._sizes[1]

    @property
    def z_size_mm(self) -> float:
        return self._sizes[2]

    @property
    def marker_width_mm(self) -> float:
        return self._marker[0]

    @property
    def marker_height_mm(self) -> float:
        return self._marker[1]

    @property
    def is_unique(self) -> bool:
        return self._is_unique

    @property
    def descriptive_name(self) -> str:
        return f"{self.object_type.name} id={self.object_id}"


class FixedCustomObject:
    """A box in the way that is never seen."""

    def __init__(
        self, pose: Pose, x_size_mm: float, y_size_mm: float, z_size_mm: float, object_id: int
    ) -> None:
        self._pose = pose
        self.x_size_mm, self.y_size_mm, self.z_size_mm = x_size_mm, y_size_mm, z_size_mm
        self.object_id = object_id

    @property
    def pose(self) -> Pose:
        return self._pose

    def __repr__(self) -> str:
        return f"<FixedCustomObject pose={self.pose} object_id={self.object_id}>"

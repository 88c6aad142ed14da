"""What the driver reports of cubes: their radio, and whether one is on the lift."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from cozmo_interfaces.msg import Cube, CubeArray, CubeEvent

from ..ros.context import NodeContext
from ..ros.geometry import seconds
from ..ros.topics import EVENT, LATCHED
from .detection.learner import up_side
from .world.world_model import WorldModel

_log = logging.getLogger(__name__)
_NAMES = {
    Cube.CUBE_1: "cube_1",
    Cube.CUBE_2: "cube_2",
    Cube.CUBE_3: "cube_3",
    Cube.CHARGER: "charger",
}
_UNCONNECTED = 10.0
"""s for which a cube is seen without a radio link until it is warned of, and warned of again."""


class CubeReports:
    """Hands it to the world model. In the loop."""

    def __init__(
        self, context: NodeContext, world: WorldModel, publish_states: Callable[[], object]
    ) -> None:
        self._world, self._publish_states = world, publish_states
        self._heard: dict[str, Cube] | None = None
        """By name; None where no driver has told."""
        self._unconnected: dict[str, float] = {}
        """When cubes were seen first without a radio link, or warned of."""
        context.listen(CubeArray, "cubes", self._on_cubes, LATCHED)
        context.listen(CubeEvent, "cube_events", self._on_event, EVENT)

    def heard(self, cube_id: int) -> Cube | None:
        """Return what the driver reports of a cube, None where it reports none."""
        return (self._heard or {}).get(_NAMES[cube_id])

    def _on_cubes(self, message: CubeArray) -> None:
        # Of several cubes of a kind the connected one comes last.
        cubes = sorted(message.cubes, key=lambda cube: bool(cube.is_connected))
        self._heard = {_NAMES[cube.cube_id]: cube for cube in cubes if cube.cube_id in _NAMES}
        for name in _NAMES.values():
            cube = self._heard.get(name)
            is_connected = cube is not None and cube.is_connected
            if cube is None or not is_connected:
                self._world.on_connection(name, None)
            else:
                self._world.on_connection(name, int(cube.slot), up_side(cube.up_axis))
        self._publish_states()

    def _on_event(self, message: CubeEvent) -> None:
        name, stamp = _NAMES.get(message.cube_id), seconds(message.header.stamp)
        if name is None:
            return
        if message.type == CubeEvent.MOVED:
            self._world.on_moved(name, stamp)
        elif message.type == CubeEvent.STOPPED:
            self._world.on_stopped(name)
        elif message.type in (CubeEvent.TAPPED, CubeEvent.DOUBLE_TAPPED):
            self._world.on_tapped(name, stamp)
        else:
            return
        self._publish_states()

    def on_seen(self, names: Iterable[str], stamp: float) -> None:
        """Warn of cubes that are seen but have no radio link."""
        if self._heard is None:
            return
        for name in set(names) & set(_NAMES.values()) - {_NAMES[Cube.CHARGER]}:
            cube = self._heard.get(name)
            if cube is not None and cube.is_connected:
                self._unconnected.pop(name, None)
                continue
            since = self._unconnected.setdefault(name, stamp)
            if not 0.0 <= stamp - since < _UNCONNECTED:
                self._unconnected[name] = stamp
            if stamp - since >= _UNCONNECTED:
                is_heard = cube is not None and cube.is_available
                remedy = (
                    "call connect_cube for its lights, taps and moves"
                    if is_heard
                    else "its radio is not heard; is its battery empty?"
                )
                _log.warning("%s is seen, but not connected: %s", name, remedy)

"""What the driver reports of cubes: their radio, and whether one is on the lift."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from cozmo_interfaces.msg import Cube, CubeArray, CubeEvent

from ..robot import LIGHT_CUBES, CubeEventType
from ..ros.context import NodeContext
from ..ros.geometry import constants, seconds
from ..ros.topics import EVENT, LATCHED
from .perception import CUBE_NAMES, ConnectedCube, Perception

_log = logging.getLogger(__name__)
EVENTS = {value: event for event, value in constants(CubeEventType, CubeEvent).items()}
_UNCONNECTED = 10.0
"""s for which a cube is seen without a radio link until it is warned of, and warned of again."""


class CubeReports:
    """Passes it to perception. In the loop."""

    def __init__(
        self, context: NodeContext, perception: Perception, publish_states: Callable[[], object]
    ) -> None:
        self._perception, self._publish_states = perception, publish_states
        self._heard: dict[int, Cube] | None = None
        """By cube_id; None where no driver has told."""
        self._unconnected: dict[int, float] = {}
        """When cubes were seen first without a radio link, or warned of."""
        context.listen(CubeArray, "cubes", self._on_cubes, LATCHED)
        context.listen(CubeEvent, "cube_events", self._on_event, EVENT)

    def heard(self, cube_id: int) -> Cube | None:
        """Return what the driver reports of a cube, None where it reports none."""
        return (self._heard or {}).get(cube_id)

    def _on_cubes(self, message: CubeArray) -> None:
        # Of several cubes of a kind the connected one comes last.
        cubes = sorted(message.cubes, key=lambda cube: bool(cube.is_connected))
        self._heard = {int(cube.cube_id): cube for cube in cubes}
        self._perception.on_cubes(connected_of(cubes))
        self._publish_states()

    def _on_event(self, message: CubeEvent) -> None:
        take_event(self._perception, message)
        self._publish_states()

    def on_seen(self, names: Iterable[str], stamp: float) -> None:
        """Warn of cubes that are seen but have no radio link."""
        if self._heard is None:
            return
        for kind in LIGHT_CUBES:
            name, cube = CUBE_NAMES[kind], self._heard.get(kind)
            if name not in names:
                continue
            if cube is not None and cube.is_connected:
                self._unconnected.pop(kind, None)
                continue
            since = self._unconnected.setdefault(kind, stamp)
            if not 0.0 <= stamp - since < _UNCONNECTED:
                self._unconnected[kind] = stamp
            if stamp - since >= _UNCONNECTED:
                is_heard = cube is not None and cube.is_available
                remedy = (
                    "call connect_cube for its lights, taps and moves"
                    if is_heard
                    else "its radio is not heard; is its battery empty?"
                )
                _log.warning("%s is seen, but not connected: %s", name, remedy)


def connected_of(cubes: Iterable[Cube]) -> dict[int, ConnectedCube]:
    """Return the cubes with a radio link, by cube_id."""
    return {
        int(cube.cube_id): ConnectedCube(int(cube.slot), int(cube.up_axis), int(cube.factory_id))
        for cube in cubes
        if cube.is_connected
    }


def take_event(perception: Perception, message: CubeEvent) -> None:
    """Let perception know what a cube reports, as far as it concerns it."""
    event = EVENTS.get(message.type)
    if event is not None:
        stamp = seconds(message.header.stamp)
        perception.on_cube_event(int(message.cube_id), event, stamp)

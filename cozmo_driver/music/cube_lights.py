"""Cubes that shine on the beat."""

from __future__ import annotations

import contextlib

from ..protocol import SendQueueFull
from ..robot import LIGHT_CUBES, Color, CubeLights, Cubes, RobotError, steady

_PALETTE = tuple(
    Color(red / 31, green / 31, blue / 31)
    for red, green, blue in ((20, 0, 0), (12, 8, 0), (0, 16, 0), (0, 8, 16), (8, 0, 20), (16, 0, 8))
)
"""Two lights at a time are within what a cube's battery carries (spec 08 §4)."""
_OFF = Color()


def lights_of_beat(beat: int, cube: int) -> CubeLights:
    """Return what a cube shows from a beat on: a pair of its lights, the other one each time."""
    color = steady(_PALETTE[(beat + 2 * cube) % len(_PALETTE)])
    dark = steady(_OFF)
    pair = beat % 2
    return CubeLights((color, dark, color, dark) if not pair else (dark, color, dark, color))


class CubeShow:
    """The lights of the cubes that are connected at its start, until ``release``.

    A cube whose lights somebody else sets meanwhile is left to them.
    """

    def __init__(self, cubes: Cubes) -> None:
        self._cubes = cubes
        self.cubes = [
            cube.factory_id for cube in cubes.all if cube.is_connected and cube.kind in LIGHT_CUBES
        ]
        self._before = {cube: cubes.lights_of(cube) for cube in self.cubes}
        self._shown = dict(self._before)
        self._beat = -1

    def show(self, beat: int) -> None:
        if beat == self._beat:
            return
        self._beat = beat
        for number, cube in enumerate(self.cubes):
            if self._is_ours(cube):
                lights = lights_of_beat(beat, number)
                with contextlib.suppress(RobotError, SendQueueFull):
                    self._cubes.set_lights(lights, factory_id=cube)
                self._shown[cube] = self._cubes.lights_of(cube)

    def release(self) -> None:
        """Give each cube the lights back that it had."""
        for cube in self.cubes:
            before = self._before[cube]
            if not self._is_ours(cube) or self._shown[cube] == before:
                continue
            with contextlib.suppress(RobotError, SendQueueFull):
                if before is None:
                    self._cubes.release_lights(factory_id=cube)
                else:
                    self._cubes.set_lights(before, factory_id=cube)

    def _is_ours(self, cube: int) -> bool:
        return self._cubes.lights_of(cube) == self._shown[cube]

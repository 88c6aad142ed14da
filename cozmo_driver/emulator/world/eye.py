"""A robot's camera in a world: lens, light, lamp and the sensor's noise (spec 03 §6, 13 §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...media.mini_jpeg import HEIGHT, WIDTH
from .floor_map import TINTS
from .layout import Tint
from .lens import Floats, Stance
from .renderer import Frame, Renderer
from .world import Occupant, World

_NOISE = 1.6
"""Gray levels of the sensor's noise at the usual gain. An estimate."""
_NOISE_FRAMES = 8
_LAMP_REACH = 180.0
"""mm up to which the lamp beside the camera lights as much as daylight. An estimate."""
_COLORS = {
    Tint.WHITE: (1.0, 1.0, 1.0),
    Tint.WOOD: (1.14, 0.98, 0.76),
    Tint.RED: (1.5, 0.66, 0.6),
    Tint.GREEN: (0.66, 1.25, 0.7),
    Tint.BLUE: (0.62, 0.92, 1.6),
    Tint.YELLOW: (1.25, 1.1, 0.45),
}
_PALETTE = np.array([_COLORS[tint] for tint in TINTS], np.float32)


@dataclass(frozen=True, slots=True)
class Shutter:
    """How a picture is taken; all 1 as usual."""

    brightness: float = 1.0
    """By exposure and gain."""
    light: float = 1.0
    """Around the robot."""
    has_lamp: bool = False
    """Whether the lamp beside the camera is on."""
    noise: float = 1.0
    """By the gain."""


class Eye:
    """Takes pictures from where the robot is; the same seed gives the same ones."""

    def __init__(
        self, world: World, robot: Occupant, stance: Callable[[], Stance], seed: int = 0
    ) -> None:
        """Look at a world that has floors."""
        self._world, self._robot, self._stance, self._seed = world, robot, stance, seed
        self._renderer: Renderer | None = None
        random = np.random.default_rng(seed)
        shape = (_NOISE_FRAMES, HEIGHT, WIDTH)
        self._noise = random.normal(0.0, _NOISE, shape).astype(np.float32)
        self._column = random.uniform(0, 255, (_NOISE_FRAMES, HEIGHT)).astype(np.float32)
        self._taken = 0

    def prepare(self) -> None:
        """Paint the floors now, which takes a moment, rather than with the first picture."""
        if self._renderer is None:
            self._renderer = Renderer(self._world, self._world.seed)

    def gray(self, shutter: Shutter) -> npt.NDArray[np.uint8]:
        """Take a gray picture, 240x320."""
        frame = self._draw(with_tints=False)
        return self._sense(frame.gray * _light(frame, shutter), shutter)

    def color(self, shutter: Shutter) -> npt.NDArray[np.uint8]:
        """Take a picture in colours, RGB, 240x160x3: as wide as the sensor's."""
        frame = self._draw(with_tints=True)
        assert frame.tints is not None
        gray = (frame.gray * _light(frame, shutter))[:, ::2, None]
        return self._sense(gray * _PALETTE[frame.tints[:, ::2]], shutter)

    def _draw(self, with_tints: bool) -> Frame:
        self.prepare()
        assert self._renderer is not None
        return self._renderer.draw(self._stance(), self._robot, with_tints)

    def _sense(self, picture: Floats, shutter: Shutter) -> npt.NDArray[np.uint8]:
        if shutter.noise:
            number = self._taken % _NOISE_FRAMES
            noise: npt.NDArray[Any] = self._noise[number] * np.float32(shutter.noise)
            column = self._column[number]
            if picture.ndim == 3:
                noise, column = noise[:, ::2, None], column[:, None]
            picture = picture + noise
            # The sensor's leftmost column is noise (spec 03 §2).
            picture[:, 0] = column
            self._taken += 1
        sensed: npt.NDArray[np.uint8] = np.clip(picture, 0, 255).astype(np.uint8)
        return sensed


def _light(frame: Frame, shutter: Shutter) -> Floats | np.float32:
    """Return the factor of each pixel's gray, or that of all."""
    daylight = np.float32(shutter.light * shutter.brightness)
    if not shutter.has_lamp:
        return daylight
    lamp = np.minimum(frame.nearness * np.float32(_LAMP_REACH), np.float32(1.0))
    lit: Floats = daylight + lamp * lamp * np.float32(shutter.brightness)
    return lit

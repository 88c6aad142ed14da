"""The camera's sensor: light, lamp, lens, noise and shutter (spec 03, 13, 19)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...media.mini_jpeg import HEIGHT, WIDTH
from ...media.signs import SIDES
from .floor_map import TINTS
from .layout import Tint
from .optics import Floats, Gray, Lens, Stance
from .renderer import Frame, Renderer
from .textures import cube_side
from .world import Lamp, Occupant, World

_NOISE = 7.5
"""Gray levels of noise at the usual gain: about 5 are left of it in a flat part of a picture that
was compressed as the robot does, as measured on real pictures (spec 19)."""
_FIRST_COLUMN = 25.0
"""Gray levels of noise in column 0."""
_NOISE_FRAMES = 8
_SOFTNESS = 0.2
"""Share of a pixel's light that its neighbours on either side get: a blur of 0.63 pixels."""
_VIGNETTE = 0.10
"""How much darker the corners are. An estimate."""
_LAMP_REACH = 180.0
"""mm up to which the lamp beside the camera lights as much as daylight. An estimate."""
_MAINS, _ROW = 100.0, 0.045 / HEIGHT
"""Hz at which lamps on the mains flicker, and s from row to row. The latter is an estimate."""
_GLOW, _HALO = (330.0, 0.45), (60.0, 1.4)
"""Gray of a cube's light of full power, and the width of its spot in radii; of its halo."""
_MOST_SMEAR = 24
"""Pixels of motion blur that are drawn."""
_LENS = Lens()
_COLORS = {
    Tint.WHITE: (1.0, 1.0, 1.0),
    Tint.WOOD: (1.14, 0.98, 0.76),
    Tint.RED: (1.5, 0.66, 0.6),
    Tint.GREEN: (0.66, 1.25, 0.7),
    Tint.BLUE: (0.62, 0.92, 1.6),
    Tint.YELLOW: (1.25, 1.1, 0.45),
}
_PALETTE = np.array([_COLORS[tint] for tint in TINTS], np.float32)
_LUMA = np.array([0.30, 0.59, 0.11])


class Sensor:
    """Makes noisy pictures; the same random numbers give the same noise."""

    def __init__(self, random: np.random.Generator, spread: float) -> None:
        """``spread`` is the noise's standard deviation in gray levels at the usual gain."""
        self._noise = random.normal(0.0, spread, (_NOISE_FRAMES, HEIGHT, WIDTH)).astype(np.float32)
        self._noise[:, :, 0] = random.normal(0.0, _FIRST_COLUMN, (_NOISE_FRAMES, HEIGHT))
        self._taken = 0

    def expose(self, picture: Floats, noise: float = 1.0) -> Gray:
        """Return a picture, gray or in colours of half the width, with ``noise`` times its noise.

        None of it if that is 0.
        """
        if noise:
            grain: Floats = self._noise[self._taken % _NOISE_FRAMES] * np.float32(noise)
            picture = picture + (grain if picture.ndim == 2 else grain[:, ::2, None])
            self._taken += 1
        exposed: Gray = np.clip(picture, 0, 255).astype(np.uint8)
        return exposed


@dataclass(frozen=True, slots=True)
class Shutter:
    """How a picture is taken; as usual by default."""

    brightness: float = 1.0
    """By exposure and gain."""
    light: float = 1.0
    """Around the robot."""
    has_lamp: bool = False
    """Whether the lamp beside the camera is on."""
    noise: float = 1.0
    """By the gain."""
    readout: float = 0.0
    """s from the first row to the last one; 0 for all at once."""
    exposure: float = 0.0
    """s over which what moves is smeared; 0 for none."""


class Eye:
    """Takes pictures from where the robot is; the same seed gives the same ones."""

    def __init__(
        self,
        world: World,
        robot: Occupant,
        stance: Callable[[float], Stance],
        seed: int = 0,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Look at a world that has floors; ``stance`` takes the s from now, ``clock`` tells s."""
        self._world, self._robot, self._stance, self._clock = world, robot, stance, clock
        self._renderer: Renderer | None = None
        self._sensor = Sensor(np.random.default_rng(seed), _NOISE)

    def prepare(self) -> None:
        """Paint floors and cubes now, which takes a moment, rather than for the first picture."""
        if self._renderer is None:
            self._renderer = Renderer(self._world)
            for number in self._world.cubes:
                for side in SIDES:
                    cube_side(number, side)

    def gray(self, shutter: Shutter) -> Gray:
        frame = self._draw(shutter, with_tints=False)
        picture = frame.gray * self._light(frame, shutter)
        for lamp, spot, window in _spots(frame):
            picture[window] += spot * np.float32(lamp.color @ _LUMA * shutter.brightness)
        return self._sensor.expose(self._seen(picture, shutter), shutter.noise)

    def color(self, shutter: Shutter) -> Gray:
        """Take a picture in colours, RGB, 240x160x3: as wide as the sensor's."""
        frame = self._draw(shutter, with_tints=True)
        assert frame.tints is not None
        gray = self._seen(frame.gray * self._light(frame, shutter), shutter)
        picture = gray[:, ::2, None] * _PALETTE[frame.tints[:, ::2]]
        for lamp, spot, (rows, columns) in _spots(frame):
            # Windows begin in an even column: those have a pixel in colour pictures.
            half = slice(columns.start // 2, (columns.stop + 1) // 2)
            picture[rows, half] += spot[:, ::2, None] * np.float32(lamp.color * shutter.brightness)
        return self._sensor.expose(picture, shutter.noise)

    def _draw(self, shutter: Shutter, with_tints: bool) -> Frame:
        self.prepare()
        assert self._renderer is not None
        times = (0.0, shutter.readout) if shutter.readout else (0.0,)
        stances = [self._stance(time) for time in times]
        return self._renderer.draw(stances, self._robot, self._clock(), with_tints)

    def _seen(self, picture: Floats, shutter: Shutter) -> Floats:
        """Return what the lens makes of a picture."""
        if shutter.exposure:
            across, down = self._motion(shutter.exposure)
            picture = smeared(picture, across, down)
        return softened(picture) * _CORNERS

    def _light(self, frame: Frame, shutter: Shutter) -> Floats | np.float32:
        """Return the factor of each pixel's gray, or that of all."""
        daylight = np.float32(shutter.light * shutter.brightness)
        if flicker := self._world.layout.flicker:
            times = self._clock() + np.arange(HEIGHT)[:, None] * _ROW
            bands = 1.0 + flicker * np.sin(2.0 * math.pi * _MAINS * times)
            daylight = daylight * bands.astype(np.float32)
        if not shutter.has_lamp:
            return daylight
        lamp = np.minimum(frame.nearness * np.float32(_LAMP_REACH), np.float32(1.0))
        lit: Floats = daylight + lamp * lamp * np.float32(shutter.brightness)
        return lit

    def _motion(self, seconds: float) -> tuple[float, float]:
        """Return by how many pixels what is far away moves in the picture in a time."""
        before, after = (self._stance(time).view().axes for time in (0.0, seconds))
        x, y, z = after.T @ before[:, 2]
        return _LENS.fx * x / z, _LENS.fy * y / z


def _corners_of_lens() -> Floats:
    down, across = np.linspace(-1, 1, HEIGHT)[:, None], np.linspace(-1, 1, WIDTH)[None, :]
    corners: Floats = (1.0 - _VIGNETTE / 2 * (down**2 + across**2)).astype(np.float32)
    return corners


_CORNERS = _corners_of_lens()


def softened(picture: Floats) -> Floats:
    """Return a picture as a lens gives it, a little blurred."""
    keep, give = np.float32(1.0 - 2 * _SOFTNESS), np.float32(_SOFTNESS)
    for _ in range(2):
        soft = keep * picture
        soft[1:-1] += give * (picture[:-2] + picture[2:])
        soft[0] += give * (picture[0] + picture[1])
        soft[-1] += give * (picture[-1] + picture[-2])
        picture = soft.T
    return picture


def smeared(picture: Floats, across: float, down: float) -> Floats:
    """Return a picture that moved by so many pixels while it was exposed."""
    length = math.hypot(across, down)
    if length > _MOST_SMEAR:
        across, down = (v * _MOST_SMEAR / length for v in (across, down))
    steps = {
        (round(down * share), round(across * share))
        for share in np.linspace(-0.5, 0.5, 2 * min(round(length), _MOST_SMEAR) + 1)
    }
    if len(steps) == 1:
        return picture
    room = _MOST_SMEAR // 2 + 1
    padded = np.pad(picture, room, mode="edge")
    height, width = picture.shape
    total = np.zeros_like(picture)
    for row, column in sorted(steps):
        total += padded[room + row :, room + column :][:height, :width]
    total /= len(steps)
    return total


def _spots(frame: Frame) -> list[tuple[Lamp, Floats, tuple[slice, slice]]]:
    """Return the spots of the lamps in sight, in gray levels at full power, and where they are."""
    spots = []
    for lamp, row, column, scale in frame.lamps:
        radius = lamp.radius * scale
        reach = 3.0 * _HALO[1] * radius
        low, left = max(int(row - reach), 0), max(int(column - reach), 0) // 2 * 2
        end, stop = min(int(row + reach) + 2, HEIGHT), min(int(column + reach) + 2, WIDTH)
        rows = np.arange(low, end, dtype=np.float32)
        columns = np.arange(left, stop, dtype=np.float32)
        distance = (rows[:, None] - row) ** 2 + (columns[None, :] - column) ** 2
        spot = sum(
            level * np.exp(-distance / (2.0 * (width * radius) ** 2))
            for level, width in (_GLOW, _HALO)
        )
        window = slice(low, end), slice(left, stop)
        spots.append((lamp, np.asarray(spot, np.float32), window))
    return spots

"""The camera's sensor: light, lamp, lens, noise and shutter (spec 03, 13, 19)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...media import IMAGE_HEIGHT, IMAGE_WIDTH
from .floor_map import TINTS
from .layout import TINT_COLORS
from .optics import Floats, Gray, Stance
from .raster import Frame
from .renderer import Renderer
from .world import Lamp, Occupant, World

_NOISE = 7.5
"""Gray levels of noise at the usual gain: about 5 are left of it in a flat part of a picture that
was compressed as the robot does, as measured on real pictures (spec 19)."""
_FIRST_COLUMN = 25.0
"""Gray levels of noise in column 0."""
_NOISE_FRAMES = 8
_SOFTNESS = 0.2
"""Share of a pixel's light that its neighbours on either side get: a blur of 0.63 pixels."""
_VIGNETTE, _REAL_VIGNETTE = 0.10, 0.25
"""How much darker the corners are, of an ideal lens and of real ones. Estimates: slight on walls
(spec 19), the sides of real floors 15 to 25 % darker than their middle."""
_READ_NOISE, _FULL_NOISE = 0.2, 150.0
"""Share of the noise that is left without light, and the level at which it is ``_NOISE``. Real
pictures of dim rooms have 2 levels of noise at level 20, and next to none at their floor."""
_FLOOR = 11.0
"""Level that black comes out at: the first of the sensor's gamma curve (spec 03 §6); the darkest of
real pictures of dim rooms is 10."""
_LAMP_REACH = 180.0
"""mm up to which the lamp beside the camera lights as much as daylight. An estimate."""
_ROW = 0.045 / IMAGE_HEIGHT
"""s from row to row. An estimate."""
_GLOW, _HALO = (330.0, 0.45), (60.0, 1.4)
"""Gray of a cube's light of full power, and the width of its spot in radii; of its halo."""
_MOST_SMEAR = 24
"""Pixels of motion blur that are drawn."""
_PALETTE = np.array([TINT_COLORS[tint] for tint in TINTS], np.float32)
_LUMA = np.array([0.30, 0.59, 0.11])


class Sensor:
    """Makes noisy pictures; the same random numbers give the same noise."""

    def __init__(self, random: np.random.Generator, spread: float) -> None:
        """``spread`` is the noise's standard deviation in gray levels at the usual gain."""
        self._noise = random.normal(0.0, spread, (_NOISE_FRAMES, IMAGE_HEIGHT, IMAGE_WIDTH)).astype(
            np.float32
        )
        self._noise[:, :, 0] = random.normal(0.0, _FIRST_COLUMN, (_NOISE_FRAMES, IMAGE_HEIGHT))
        self._taken = 0

    def expose(self, picture: Floats, noise: float = 1.0, realism: float = 0.0) -> Gray:
        """Return a picture, gray or in colours of half the width, with ``noise`` times its noise.

        None of it if that is 0. With ``realism`` the noise grows with the light, most of it being
        the light's own, and black is a dark gray.
        """
        if noise:
            grain: Floats = self._noise[self._taken % _NOISE_FRAMES]
            grain = grain if picture.ndim == 2 else grain[:, ::2, None]
            self._taken += 1
            picture = picture + grain * (_spread(picture, noise) if realism else np.float32(noise))
        if realism:
            floor = np.float32(_FLOOR * realism)
            picture = np.sqrt(np.square(np.maximum(picture, 0)) + floor * floor)
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
    realism: float = 0.0
    """How far lens and sensor are from ideal ones: 1 as real ones, 2 twice as far."""


class Eye:
    """Takes pictures from where the robot is; the same seed gives the same ones."""

    def __init__(
        self,
        world: World,
        robot: Occupant,
        stance: Callable[[float], Stance],
        seed: int = 0,
        clock: Callable[[], float] = lambda: 0.0,
        light: float = 0.0,
    ) -> None:
        """Look at a world that has floors; ``stance`` takes the s from now, ``clock`` tells s.

        ``light`` is how uneven light is in a world that is not ideal: 1 as in real rooms.
        """
        self._unevenness = 0.0 if world.ideal else light
        self._world, self._robot, self._stance, self._clock = world, robot, stance, clock
        self._renderer: Renderer | None = None
        self._sensor = Sensor(np.random.default_rng(seed), _NOISE)

    def prepare(self) -> None:
        """Paint floors and cubes now, which takes a moment, rather than for the first picture."""
        if self._renderer is None:
            self._renderer = Renderer(self._world, self._unevenness)

    def gray(self, shutter: Shutter) -> Gray:
        frame = self._draw(shutter, with_tints=False)
        picture = frame.gray * self._light(frame, shutter)
        for lamp, spot, window in _spots(frame):
            picture[window] += spot * np.float32(lamp.color @ _LUMA * shutter.brightness)
        return self._sensor.expose(
            self._seen(picture, frame, shutter), shutter.noise, shutter.realism
        )

    def color(self, shutter: Shutter) -> Gray:
        """Take a picture in colours, RGB, 240x160x3: as wide as the sensor's."""
        frame = self._draw(shutter, with_tints=True)
        assert frame.tints is not None
        gray = self._seen(frame.gray * self._light(frame, shutter), frame, shutter)
        picture = gray[:, ::2, None] * _PALETTE[frame.tints[:, ::2]]
        for lamp, spot, (rows, columns) in _spots(frame):
            # Windows begin in an even column: those have a pixel in colour pictures.
            half = slice(columns.start // 2, (columns.stop + 1) // 2)
            picture[rows, half] += spot[:, ::2, None] * np.float32(lamp.color * shutter.brightness)
        return self._sensor.expose(picture, shutter.noise, shutter.realism)

    def _draw(self, shutter: Shutter, with_tints: bool) -> Frame:
        self.prepare()
        assert self._renderer is not None
        times = (0.0, shutter.readout) if shutter.readout else (0.0,)
        stances = [self._stance(time) for time in times]
        return self._renderer.draw(stances, self._robot, self._clock(), with_tints)

    def _seen(self, picture: Floats, frame: Frame, shutter: Shutter) -> Floats:
        """Return what the lens makes of a picture."""
        if shutter.exposure:
            picture = smeared(picture, *self._motion(frame, shutter.exposure))
        for _ in range(1 + round(shutter.realism)):
            picture = softened(picture)
        seen: Floats = picture * _corners_of_lens(shutter.realism)
        return seen

    def _light(self, frame: Frame, shutter: Shutter) -> Floats | np.float32:
        """Return the factor of each pixel's gray, or that of all."""
        daylight = np.float32(shutter.light * shutter.brightness)
        assert self._renderer is not None
        light = self._renderer.light
        if light.flicker:
            times = self._clock() + np.arange(IMAGE_HEIGHT)[:, None] * _ROW
            bands = 1.0 + light.flicker * np.sin(2.0 * math.pi * light.mains * times)
            daylight = daylight * bands.astype(np.float32)
        if not shutter.has_lamp:
            return daylight
        lamp = np.minimum(frame.nearness * np.float32(_LAMP_REACH), np.float32(1.0))
        lit: Floats = daylight + lamp * lamp * np.float32(shutter.brightness)
        return lit

    def _motion(self, frame: Frame, seconds: float) -> tuple[float, Floats]:
        """Return by how many pixels things move in the picture in a time, and down in each row.

        By turning all alike; by driving, what is near in the middle of the row.
        """
        before, after = (self._stance(time).view() for time in (0.0, seconds))
        lens = after.lens
        x, y, z = after.axes.T @ before.axes[:, 2]
        _, sinking, nearing = after.axes.T @ (after.place - before.place)
        below = (np.arange(IMAGE_HEIGHT) - lens.cy) / lens.fy
        near = frame.nearness[:, IMAGE_WIDTH // 4 : -IMAGE_WIDTH // 4].mean(axis=1)
        driven = lens.fy * near * (below * nearing - sinking)
        return lens.fx * x / z, lens.fy * y / z + driven


def _spread(picture: Floats, noise: float) -> Floats:
    """Return how many times the usual noise each pixel has, at ``noise`` times the usual gain.

    The read noise grows with the gain, and that of the light itself with its root for the same
    level. Column 0 does not care.
    """
    read, shot = (_READ_NOISE * noise) ** 2, (1.0 - _READ_NOISE**2) * noise / _FULL_NOISE
    spread: Floats = np.sqrt(np.float32(read) + np.float32(shot) * np.maximum(picture, 0))
    spread[:, 0] = noise
    return spread


@lru_cache(maxsize=4)
def _corners_of_lens(realism: float) -> Floats:
    down, across = (
        np.linspace(-1, 1, IMAGE_HEIGHT)[:, None],
        np.linspace(-1, 1, IMAGE_WIDTH)[None, :],
    )
    share = _VIGNETTE + realism * (_REAL_VIGNETTE - _VIGNETTE)
    corners: Floats = (1.0 - share / 2 * (down**2 + across**2)).astype(np.float32)
    return corners


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


def smeared(picture: Floats, across: float, down: Floats) -> Floats:
    """Return a picture that moved by so many pixels while it was exposed, each row down by its own.

    A quarter of a pixel is too little to be drawn.
    """
    length = math.hypot(across, float(np.abs(down).max()))
    if length < 0.25:
        return picture
    scale = min(_MOST_SMEAR / length, 1.0)
    steps = math.ceil(length * scale) + 1
    room = _MOST_SMEAR // 2 + 1
    padded = np.pad(picture, ((0, 0), (room, room)), mode="edge")
    height, width = picture.shape
    rows, total = np.arange(height), np.zeros_like(picture)
    for share in np.linspace(-0.5 * scale, 0.5 * scale, steps):
        moved = np.clip(np.rint(rows - down * share).astype(int), 0, height - 1)
        column = room - round(across * share)
        total += padded[moved, column : column + width]
    total /= steps
    return total


def _spots(frame: Frame) -> list[tuple[Lamp, Floats, tuple[slice, slice]]]:
    """Return the spots of the lamps in sight, in gray levels at full power, and where they are."""
    spots = []
    for lamp, row, column, scale in frame.lamps:
        radius = lamp.radius * scale
        reach = 3.0 * _HALO[1] * radius
        low, left = max(int(row - reach), 0), max(int(column - reach), 0) // 2 * 2
        end, stop = (
            min(int(row + reach) + 2, IMAGE_HEIGHT),
            min(int(column + reach) + 2, IMAGE_WIDTH),
        )
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

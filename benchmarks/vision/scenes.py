"""Pictures of cubes as the robot's camera would take them, with the truth about them (spec 19)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from cozmo_driver.media import mini_jpeg
from cozmo_driver.media.printed_markers import CUBE_MARKER_SIZE, SIDE_AXES, SIDES

from .backgrounds import background
from .drawings import SIDE, side_of

Floats = npt.NDArray[np.float64]
Gray = npt.NDArray[np.uint8]

WIDTH, HEIGHT = 320, 240
FX, FY, CX, CY = 293.6, 294.6, 164.1, 112.7
CAMERA = np.array([[FX, 0.0, CX], [0.0, FY, CY], [0.0, 0.0, 1.0]])
EDGE = 0.044
_FINE = 3
"""A scene is drawn this many times larger than the picture."""
_BLACK = 11.0
"""Level that black comes out at (spec 03 §6)."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a picture is taken."""

    light: float = 150.0
    """Level of a white wall."""
    noise: float = 5.0
    blur: float = 0.7
    motion: float = 0.0
    """Pixels that it moves to the right while it is exposed."""
    shadow: float = 0.0
    """Share of light that is lost in one half of the picture."""
    bands: float = 0.0
    """Share by which rows are lighter and darker under flickering light."""
    slope: float = 0.0
    """Share by which light differs from one side of the picture to the other, towards ``way``."""
    way: float = 0.0
    """rad."""
    pool: float = 0.0
    """Share by which a soft pool of light is lighter, or darker."""
    glare: float = 0.0
    """Gray levels of a lamp's reflection on the cubes, at the light of 165."""
    gain: float = 1.0
    """Times the usual one; ``light`` is what comes of it."""
    color: bool = False
    cover: float = 0.0
    """Share of each marker that something dark hides."""


@dataclass(frozen=True, slots=True)
class Truth:
    """A side of a cube that faces the camera."""

    cube: int
    side: str
    corners: Floats
    """Of the ring's outer edge, (4, 2) pixels: top left, top right, bottom right, bottom left of
    the marker."""
    center: Floats
    """Of the marker in the camera's optical frame, m."""
    normal: Floats
    """Away from the marker, in the camera's optical frame."""
    is_hidden: bool
    """A part of the ring is not in the picture."""

    @property
    def size(self) -> float:
        """Square root of the ring's area, pixels."""
        x, y = self.corners.T
        return math.sqrt(abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2)

    @property
    def distance(self) -> float:
        return float(np.linalg.norm(self.center))

    @property
    def angle(self) -> float:
        """Between the marker's normal and the line of sight, rad."""
        return math.acos(float(-self.normal @ self.center / self.distance))


@dataclass(slots=True)
class Scene:
    """A picture, gray 240x320 or colour 240x320x3, and what is in it."""

    picture: Gray
    truths: list[Truth] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cube:
    """A cube in the camera's optical frame: m, and its axes as columns."""

    number: int
    place: Floats
    axes: Floats
    kind: int = 0
    lit: int = 0
    print_: int = 0
    """Which print its markers are, 0 without errors."""


def cube_before(
    number: int,
    distance: float,
    bearing: float,
    turn: float,
    up: int = 0,
    height: float = 0.045,
    pitch: float = math.radians(4.0),
    **more: int,
) -> Cube:
    """Return a cube on the floor ``distance`` m ahead, seen from ``height``.

    It lies on one of six sides (``up``) and is turned by ``turn`` rad; the camera looks down by
    ``pitch`` rad.
    """
    lying = _lying(up)
    c, s = math.cos(turn), math.sin(turn)
    level = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ lying
    # Robot axes (ahead, left, up) to optical ones (right, down, ahead).
    optical = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    c, s = math.cos(pitch), math.sin(pitch)
    tilt = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ optical
    ahead, left = distance * math.cos(bearing), distance * math.sin(bearing)
    place = tilt @ np.array([ahead, left, EDGE / 2 - height])
    return Cube(number, place, tilt @ level, **more)


def cube_facing(
    number: int, side: str, distance: float, turn: float = 0.0, roll: float = 0.0, **more: int
) -> Cube:
    """Return a cube whose side is ``distance`` m ahead of the camera.

    It is turned by ``turn`` rad about the vertical through the side's middle, and its marker by
    ``roll`` rad clockwise in the picture.
    """
    normal, up = (np.array(one, float) for one in SIDE_AXES[side])
    own = np.column_stack((np.cross(up, normal), up, normal))
    c, s = math.cos(roll), math.sin(roll)
    rolled = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.diag([1.0, -1.0, -1.0])
    c, s = math.cos(turn), math.sin(turn)
    axes = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ rolled @ own.T
    return Cube(number, np.array([0.0, 0.0, distance]) - axes @ normal * EDGE / 2, axes, **more)


def _lying(up: int) -> Floats:
    """Return one of the 24 attitudes of a cube that lies flat: up % 6 a side, up // 6 a turn."""
    z = np.array(SIDE_AXES[SIDES[up % 6]][0], float)
    x = np.array(SIDE_AXES[SIDES[up % 6]][1], float)
    for _ in range(up // 6):
        x = np.cross(z, x)
    return np.array([x, np.cross(z, x), z])


def render(
    cubes: list[Cube],
    conditions: Conditions,
    random: np.random.Generator,
    behind: Gray | None = None,
) -> Scene:
    """Draw cubes before a background, farthest first."""
    base = background(random) if behind is None else behind
    canvas = cv2.resize(base, (WIDTH * _FINE, HEIGHT * _FINE), interpolation=cv2.INTER_LINEAR)
    truths: list[Truth] = []
    for cube in sorted(cubes, key=lambda one: -float(np.linalg.norm(one.place))):
        outline = _draw(cube, canvas, truths, conditions.glare * random.uniform(-1.0, 1.0, 4))
        # What is nearer hides what was drawn before.
        truths = [t if t.cube == cube.number else _hidden_by(t, outline) for t in truths]
    if conditions.cover:
        for truth in truths:
            _cover(canvas, truth.corners, conditions.cover, random)
    return Scene(_expose(canvas, conditions, random), truths)


def _draw(cube: Cube, canvas: Gray, truths: list[Truth], glare: Floats) -> Floats:
    """Draw the sides of a cube that are seen; return the outline of all, (n, 2) pixels.

    ``glare`` is the gray at the four corners of a side that comes of a lamp, where above 0.
    """
    seen = []
    _draw_shadow(cube, canvas)
    for side, (normal_of, up_of) in SIDE_AXES.items():
        normal, up = cube.axes @ np.array(normal_of, float), cube.axes @ np.array(up_of, float)
        center = cube.place + normal * EDGE / 2
        if normal @ center >= -1e-4:
            continue
        right = np.cross(up, normal)
        square = np.array([up - right, up + right, right - up, -up - right])
        face, ring = (_project(center + square * half) for half in (EDGE / 2, CUBE_MARKER_SIZE / 2))
        if face is None or ring is None:
            continue
        facing = float(-normal @ center / np.linalg.norm(center))
        shade = 0.8 + 0.2 * facing if abs(normal[1]) < 0.7 else 1.1
        picture = side_of(cube.kind, cube.number, side, cube.lit, cube.print_)
        _warp(picture, face, shade, glare, canvas)
        seen.append(face)
        margin = ring.min(), WIDTH - 1 - ring[:, 0].max(), HEIGHT - 1 - ring[:, 1].max()
        truths.append(Truth(cube.number, side, ring, center, normal, min(margin) < 1.0))
    return np.concatenate(seen) if seen else np.zeros((0, 2))


def _cover(canvas: Gray, corners: Floats, share: float, random: np.random.Generator) -> None:
    """Hide a share of a marker from one side, at one corner or by a bar, with something dark."""
    kind = random.integers(3)
    if kind == 0:
        part = np.array([[-0.2, -0.2], [share, -0.2], [share, 1.2], [-0.2, 1.2]])
    elif kind == 1:
        edge = math.sqrt(share)
        part = np.array([[-0.2, -0.2], [edge, -0.2], [edge, edge], [-0.2, edge]])
    else:
        left, lean = random.uniform(0.0, 1.0 - share), random.uniform(-0.3, 0.3)
        part = np.array([[left - lean, -0.2], [left + share - lean, -0.2]])
        part = np.concatenate((part, [[left + share + lean, 1.2], [left + lean, 1.2]]))
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    turned = np.roll(corners, random.integers(4), axis=0).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(square, turned)
    hidden = cv2.perspectiveTransform(part[None].astype(np.float64), matrix)[0]
    fine = (hidden + 0.5) * _FINE - 0.5
    tone = int(random.integers(10, 40))
    cv2.fillConvexPoly(canvas, np.round(fine * 16).astype(np.int32), tone, cv2.LINE_AA, 4)


def _draw_shadow(cube: Cube, canvas: Gray) -> None:
    x, y, z = cube.place
    if z < 0.03:
        return
    low = _project(np.array([[x, y + EDGE / 2, z]]))
    if low is None:
        return
    center = tuple(int(v * _FINE) for v in low[0])
    axes = (int(0.034 * FX / z * _FINE), max(int(0.010 * FX / z * _FINE), 1))
    part = np.zeros_like(canvas)
    cv2.ellipse(part, center, axes, 0, 0, 360, 110, -1)
    part = cv2.blur(part, (2 * axes[1] + 1, 2 * axes[1] + 1))
    canvas -= (canvas.astype(np.float32) * (part / 255.0)).astype(np.uint8)


def _project(points: Floats) -> Floats | None:
    if points[:, 2].min() < 0.01:
        return None
    return np.column_stack(
        (points[:, 0] / points[:, 2] * FX + CX, points[:, 1] / points[:, 2] * FY + CY)
    )


def _warp(texture: Gray, corners: Floats, shade: float, glare: Floats, canvas: Gray) -> None:
    """Draw a texture into a quadrilateral, lit by ``shade``, with ``glare`` at its corners."""
    fine = ((corners + 0.5) * _FINE - 0.5).astype(np.float32)
    low = np.maximum(np.floor(fine.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(fine.max(axis=0)).astype(int) + 2, (WIDTH * _FINE, HEIGHT * _FINE))
    if (low >= high).any():
        return
    longest = max(np.linalg.norm(fine - np.roll(fine, 1, axis=0), axis=1))
    scale = min(1.0, max(longest * 1.5, 16.0) / SIDE)
    texture = cv2.resize(texture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    rows, columns = texture.shape
    source = np.array(
        [[-0.5, -0.5], [columns - 0.5, -0.5], [columns - 0.5, rows - 0.5], [-0.5, rows - 0.5]],
        np.float32,
    )
    matrix = cv2.getPerspectiveTransform(source, fine - low.astype(np.float32))
    size = tuple(int(v) for v in high - low)
    light = texture.astype(np.float32) * shade
    if glare.any():
        spread = cv2.resize(glare.reshape(2, 2).astype(np.float32), (columns, rows))
        light += np.maximum(spread, 0.0)
    shaded = np.clip(light, 0, 255).astype(np.uint8)
    patch = cv2.warpPerspective(
        shaded, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    mask = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(mask, np.round((fine - low) * 16).astype(np.int32), 255, cv2.LINE_8, 4)
    part = canvas[low[1] : high[1], low[0] : high[0]]
    part[mask > 0] = patch[mask > 0]


def _hidden_by(truth: Truth, outline: Floats) -> Truth:
    if len(outline) == 0:
        return truth
    hull = cv2.convexHull(outline.astype(np.float32))
    overlap, _ = cv2.intersectConvexConvex(hull, cv2.convexHull(truth.corners.astype(np.float32)))
    if overlap <= 0.0:
        return truth
    return Truth(truth.cube, truth.side, truth.corners, truth.center, truth.normal, True)


def _expose(canvas: Gray, conditions: Conditions, random: np.random.Generator) -> Gray:
    light = cv2.resize(canvas, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA).astype(np.float32)
    light = cv2.GaussianBlur(light, (0, 0), conditions.blur)
    if conditions.motion >= 1.0:
        kernel = _streak(conditions.motion)
        light = cv2.filter2D(light, -1, kernel)
    light *= conditions.light / 165.0
    across, down = np.meshgrid(np.linspace(-1, 1, WIDTH), np.linspace(-0.75, 0.75, HEIGHT))
    light *= 1.0 - 0.15 * (across**2 + down**2)
    if conditions.shadow:
        edge = random.uniform(0.3, 0.7) * WIDTH + np.linspace(-40, 40, HEIGHT)[:, None]
        light *= 1.0 - conditions.shadow / (1.0 + np.exp((np.arange(WIDTH)[None, :] - edge) / 6.0))
    if conditions.bands:
        phase = random.uniform(0, 6.28)
        light *= 1.0 + conditions.bands * np.sin(np.arange(HEIGHT)[:, None] / 18.0 + phase)
    light *= _unevenness(conditions, across, down, random)
    # Of the amplifier and of the light itself; ``noise`` is that of a bright wall.
    own = conditions.gain * conditions.noise**2 * np.maximum(light, 0.0) / 165.0
    grain = np.sqrt(2.0 * conditions.gain**2 + own)
    light += grain * random.normal(0.0, 1.0, light.shape).astype(np.float32)
    light = np.sqrt(np.maximum(light, 0.0) ** 2 + _BLACK**2)
    light[:, 0] = random.uniform(0, 255, HEIGHT)
    gray = np.clip(light, 0, 255).astype(np.uint8)
    if not conditions.color:
        return mini_jpeg.picture(mini_jpeg.to_jpeg(mini_jpeg.from_gray(gray)))
    half = cv2.resize(gray, (WIDTH // 2, HEIGHT), interpolation=cv2.INTER_AREA)
    tinted = np.clip(half[..., None] * np.array([1.1, 0.95, 0.85]), 0, 255).astype(np.uint8)
    payload = mini_jpeg.from_color(tinted)
    return mini_jpeg.stretched(mini_jpeg.picture(mini_jpeg.to_jpeg(payload)))


def _unevenness(
    how: Conditions, across: Floats, down: Floats, random: np.random.Generator
) -> Floats:
    """Return the factor of light of each pixel."""
    along = across * math.cos(how.way) + down * math.sin(how.way)
    light: Floats = 1.0 + how.slope / 2 * along
    if how.pool:
        x, y, radius = random.uniform(-1, 1), random.uniform(-0.75, 0.75), random.uniform(0.1, 0.5)
        light *= 1.0 + how.pool * np.exp(-((across - x) ** 2 + (down - y) ** 2) / (2 * radius**2))
    return light


def _streak(length: float) -> npt.NDArray[np.float32]:
    size = 2 * math.ceil(length / 2) + 1
    kernel = np.zeros((1, size), np.float32)
    kernel[0, :] = np.clip(length / 2 + 0.5 - np.abs(np.arange(size) - size // 2), 0, 1)
    return kernel / kernel.sum()

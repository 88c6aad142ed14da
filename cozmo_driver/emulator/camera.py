"""What the camera sees: a chequered floor, a striped wall far away and a moving spot.

A pinhole picture of the floor for the robot's pose and head angle (spec 13 §2, §5), so that
driving, turning and looking up all move the picture as they would.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..media import IMAGE_HEIGHT, IMAGE_WIDTH, ImageArray, from_color, from_gray
from ..protocol import ImageEncoding, ImageResolution, ImageSendMode, messages
from .body import Pose2D
from .options import EmulatorOptions
from .parts import Parts
from .world.eye import Eye, Sensor, Shutter
from .world.optics import Stance

_FOCAL = 292.0
_SQUARE = 60.0
"""mm, side of a square of the floor."""
_FAR = 1500.0
"""mm; beyond this the floor is one tone."""
_STRIPE = math.radians(6.0)
_TILES = 64
_NOISE = 2.0
_SPOT_RADIUS = 9
_HEAD_STEP = 0.002

_Floats = npt.NDArray[Any]
PERIOD = 1 / 15
"""Seconds between two pictures; the sensor counts on while nobody looks."""
_CHUNK_SIZES = range(1076, 1105, 4)
_FIRST_ID = range(1000, 60000)
MAX_GAIN = 3.984375
EXPOSURE_LIMITS_MS = (0, 67)
_USUAL = (2.0, 16)
"""Gain and exposure in ms at which the scene has its own brightness."""
_GAMMA = bytes.fromhex("0b1d33495d6e7c99afc2d0dae2e7f0f7ff")
_FIRST_CHUNK = 0.018
_LAST_CHUNK = 0.045
"""Seconds after the picture was begun, as recorded. Chunks leave as the sensor is read: the last
row is, too."""
_IMU_STEPS = (75, 102, 75, 113, 113)
"""Half the sensor lines between two samples of the gyro, as recorded: five in two pictures."""
_HALF_LINES = 240
_STATUS = 2
_TORN_STEP = 8


class _Ground(NamedTuple):
    """Where the lines of sight of a head angle meet the floor, in the robot's frame (mm)."""

    first_row: int
    ahead: _Floats
    """By row."""
    left: _Floats
    """By row and column."""


_ACROSS = (np.arange(IMAGE_WIDTH, dtype=np.float32) - IMAGE_WIDTH / 2) / _FOCAL
_DOWN = (np.arange(IMAGE_HEIGHT, dtype=np.float32) - IMAGE_HEIGHT / 2) / _FOCAL


@lru_cache(maxsize=4)
def _ground(head_step: int) -> _Ground:
    view = Stance(Pose2D(), head_step * _HEAD_STEP).view()
    camera_x, camera_z = float(view.place[0]), float(view.place[2])
    forward = float(view.axes[0, 2]) + _DOWN * float(view.axes[0, 1])
    sinking = -float(view.axes[2, 2]) - _DOWN * float(view.axes[2, 1])
    hits = sinking > camera_z / _FAR
    first = int(np.argmax(hits)) if hits.any() else IMAGE_HEIGHT
    reach = camera_z / sinking[first:]
    return _Ground(first, camera_x + reach * forward[first:], -reach[:, None] * _ACROSS[None, :])


class Scene:
    """Draws gray pictures; the same seed gives the same pictures."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        dark = np.indices((_TILES, _TILES)).sum(axis=0) % 2
        self._floor = (random.uniform(95, 165, (_TILES, _TILES)) + dark * 50).astype(np.float32)
        self._wall = random.uniform(60, 200, 256).astype(np.float32)
        self._sensor = Sensor(random, _NOISE)

    def draw(self, pose: Pose2D, head: float, time: float, brightness: float) -> ImageArray:
        """Return uint8 240x320 as seen from ``pose`` (mm, rad) with the head at an angle in rad.

        ``time`` in seconds moves the spot; ``brightness`` is 1 at the usual exposure and gain.
        """
        ground = _ground(round(head / _HEAD_STEP))
        picture = np.empty((IMAGE_HEIGHT, IMAGE_WIDTH), np.float32)
        picture[: ground.first_row] = self._wall_row(pose.angle)
        picture[ground.first_row :] = self._floor_rows(ground, pose)
        self._draw_spot(picture, time)
        return self._sensor.expose(picture * np.float32(brightness))

    def _wall_row(self, yaw: float) -> _Floats:
        stripes = np.floor((yaw - np.arctan(_ACROSS)) / _STRIPE).astype(np.int64)
        tones: _Floats = self._wall[stripes % len(self._wall)]
        return tones

    def _floor_rows(self, ground: _Ground, pose: Pose2D) -> _Floats:
        c, s = math.cos(pose.angle) / _SQUARE, math.sin(pose.angle) / _SQUARE
        ahead = ground.ahead[:, None]
        x = np.float32(pose.x / _SQUARE % _TILES) + np.float32(c) * ahead
        y = np.float32(pose.y / _SQUARE % _TILES) + np.float32(s) * ahead
        columns = np.floor(x - np.float32(s) * ground.left).astype(np.int32)
        rows = np.floor(y + np.float32(c) * ground.left).astype(np.int32)
        tones: _Floats = self._floor[rows & (_TILES - 1), columns & (_TILES - 1)]
        return tones

    def _draw_spot(self, picture: _Floats, time: float) -> None:
        x = round(IMAGE_WIDTH / 2 + 110 * math.sin(0.9 * time))
        y = round(IMAGE_HEIGHT / 4 + 30 * math.sin(1.3 * time))
        r = _SPOT_RADIUS
        disc = np.hypot(*np.ogrid[-r : r + 1, -r : r + 1]) <= r
        picture[y - r : y + r + 1, x - r : x + r + 1][disc] = 245.0


_PALETTE = np.stack(
    [128 + 110 * np.sin(np.arange(256) / 255 * 5 + phase) for phase in (0.0, 2.1, 4.2)], axis=1
).astype(np.uint8)
"""A false colour for each gray value: RGB."""


class Camera:
    """Takes pictures of the world or of a ``Scene`` and sends them in chunks, mini-JPEG coded."""

    def __init__(self, robot: Parts, options: EmulatorOptions) -> None:
        self._core, self._body, self._head = robot.core, robot.body, robot.joints.head
        self._imu, self._backpack = robot.imu, robot.backpack
        core = self._core
        self._random = core.random("camera")
        self._scene: Scene | None = None
        self.eye: Eye | None = None
        """What sees the world, if there is one to see."""
        self._sensor_start = core.now
        self._first_id = self._random.choice(_FIRST_ID)
        self._imu_steps = cycle(_IMU_STEPS)
        self._imu_line = 0
        self._torn_images = options.torn_images
        sensor = options.image_effects.sensor
        self._realism, self._noise = (0.0, 1.0) if options.ideal else (sensor, sensor)
        self._torn_left = 0
        self._mode = ImageSendMode.OFF
        self._run = 0
        self.color = False
        self.gain, self.exposure_ms = _USUAL
        self.light = 1.0
        """How bright it is where the robot is; 1 is usual."""
        self.images_sent = 0
        self.filmed: bytes | None = None
        """The picture that was taken last, as it is sent; None while the camera is off."""
        core.handle(messages.ImageRequest, self._on_request)
        core.handle(messages.EnableColorImages, self._on_color)
        core.handle(messages.SetCameraParams, self._on_params)
        core.when_disconnected(self._switch_off)

    @property
    def streaming(self) -> bool:
        return self._mode is ImageSendMode.STREAM

    def _on_request(self, m: messages.ImageRequest) -> None:
        """Obey the mode; the requested resolution is ignored, as on the robot."""
        if m.send_mode not in tuple(ImageSendMode):
            return
        was_off = self._mode is ImageSendMode.OFF
        self._mode = ImageSendMode(m.send_mode)
        if self._mode is ImageSendMode.OFF:
            self._switch_off()
        elif was_off:
            self._torn_left = self._torn_images
            self._next_picture()

    def _on_color(self, m: messages.EnableColorImages) -> None:
        self.color = m.enable

    def _on_params(self, m: messages.SetCameraParams) -> None:
        low, high = EXPOSURE_LIMITS_MS
        if m.request_default_params:
            self._core.send(messages.DefaultCameraParams(MAX_GAIN, _USUAL[0], low, high, _GAMMA))
            return
        self.gain = min(max(m.gain, 0.0), MAX_GAIN)
        self.exposure_ms = min(max(m.exposure_ms, low), high)

    def _switch_off(self) -> None:
        self._mode = ImageSendMode.OFF
        self.filmed = None
        self._run += 1

    # -- pictures

    def _next_picture(self) -> None:
        number = math.floor((self._core.now - self._sensor_start) / PERIOD + 1e-6) + 1
        taken_at = self._sensor_start + number * PERIOD
        self._core.schedule.at(taken_at, partial(self._capture, self._first_id + number, self._run))

    def _capture(self, image_id: int, run: int) -> None:
        """Take a picture and lay out when its chunks leave, unless the camera went off."""
        if run != self._run:
            return
        timestamp = self._core.timestamp
        payload = self.filmed = self.take_picture()
        size = self._random.choice(_CHUNK_SIZES)
        chunks = [payload[i : i + size] for i in range(0, len(payload), size)]
        spacing = (_LAST_CHUNK - _FIRST_CHUNK) / max(len(chunks) - 1, 1)
        last = len(chunks) - 1
        while self._imu_line < _HALF_LINES:
            delay = self._imu_line / _HALF_LINES * PERIOD
            self._core.after(delay, partial(self._send_rates, image_id, self._imu_line, run))
            self._imu_line += next(self._imu_steps)
        self._imu_line -= _HALF_LINES
        for index, data in enumerate(chunks):
            chunk = messages.ImageChunk(
                frame_time_stamp=timestamp if index == last else 0,
                image_id=image_id,
                chunk_debug=0,
                image_encoding=ImageEncoding.JPEG_MINIMIZED_GRAY,
                resolution=ImageResolution.QVGA,
                image_chunk_count=len(chunks) if index == last else 0,
                chunk_id=index,
                status=_STATUS,
                data=data,
            )
            self._core.after(_FIRST_CHUNK + index * spacing, partial(self._send, chunk, run))
        if self.streaming:
            self._next_picture()
        else:
            self._mode = ImageSendMode.OFF

    def _send(self, chunk: messages.ImageChunk, run: int) -> None:
        """Send a piece; what is left of a picture when the camera goes off is never sent."""
        if run != self._run:
            return
        last = chunk.image_chunk_count > 0
        self._core.send(chunk, hot=last)
        self.images_sent += last

    def _send_rates(self, image_id: int, line: int, run: int) -> None:
        if run == self._run:
            self._core.send(messages.ImageImuData(image_id, *self._imu.gyro(), line))

    def take_picture(self) -> bytes:
        if self.eye is None:
            picture = self._torn(self._imagined())
            return from_color(_PALETTE[picture[:, ::2]]) if self.color else from_gray(picture)
        shutter = self._shutter(self._core.noise * self.gain / _USUAL[0])
        if self.color:
            return from_color(self._torn(self.eye.color(shutter)))
        return from_gray(self._torn(self.eye.gray(shutter)))

    def preview(self) -> ImageArray | None:
        """Return what would be seen now, without noise; gray, or in colours 160 wide.

        None where there is no world to see. Leaves the stream of pictures as it is.
        """
        if self.eye is None:
            return None
        shutter = self._shutter(0.0)
        return self.eye.color(shutter) if self.color else self.eye.gray(shutter)

    def _shutter(self, noise: float) -> Shutter:
        return Shutter(
            self._brightness,
            self.light,
            self._backpack.head_light,
            noise * self._noise,
            _LAST_CHUNK * min(self._realism, 1.0),
            self.exposure_ms / 1000.0 * self._realism,
            self._realism,
        )

    @property
    def _brightness(self) -> float:
        return self.gain * self.exposure_ms / (_USUAL[0] * _USUAL[1])

    def _imagined(self) -> ImageArray:
        if self._scene is None:
            self._scene = Scene(self._random.getrandbits(32))
        since_start = self._core.now - self._sensor_start
        pose, brightness = self._body.world_pose, self.light * self._brightness
        return self._scene.draw(pose, self._head.angle, since_start, brightness)

    def _torn(self, picture: ImageArray) -> ImageArray:
        """Return a picture as it comes out soon after the camera was switched on."""
        if not self._torn_left:
            return picture
        rolled = np.roll(picture, _TORN_STEP * self._torn_left, axis=0)
        self._torn_left -= 1
        return rolled

"""``cozmo.camera``: images and how they are taken (spec 21 §5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...robot import CameraLimits, Image
from . import logs
from .event import Dispatcher, Event
from .pose import Vector2
from .units import Angle

if TYPE_CHECKING:
    from .robot import Robot

_SIZE = (320, 240)


class EvtNewRawCameraImage(Event):
    """Triggered when an image has come, as a PIL image."""

    image = "The image, RGB, 320x240"


class EvtRobotObservedMotion(Event):
    """Triggered when something moves in the images."""

    has_img_movement = "Whether something moved"
    img_pos = "Where"
    img_area = "Share of the image"
    has_ground_movement = "Whether something moved on the floor"
    ground_pos = "Where on the floor"
    ground_area = "Share of the floor"
    has_left_movement = "Whether something moved on the left"
    left_img_pos = "Where"
    left_img_area = "Share"
    has_top_movement = "Whether something moved above"
    top_img_pos = "Where"
    top_img_area = "Share"
    has_right_movement = "Whether something moved on the right"
    right_img_pos = "Where"
    right_img_area = "Share"


class CameraConfig:
    """The lens, in pixels, and the sensor's limits."""

    def __init__(self, focal: tuple[float, float], center: tuple[float, float]) -> None:
        self._focal, self._center = Vector2(*focal), Vector2(*center)
        limits = CameraLimits()
        self._limits = limits

    @property
    def focal_length(self) -> Vector2:
        return self._focal

    @property
    def center(self) -> Vector2:
        return self._center

    @property
    def fov_x(self) -> Angle:
        return Angle(radians=2 * math.atan2(_SIZE[0] / 2, self._focal.x))

    @property
    def fov_y(self) -> Angle:
        return Angle(radians=2 * math.atan2(_SIZE[1] / 2, self._focal.y))

    @property
    def min_exposure_time_ms(self) -> int:
        return self._limits.min_exposure_ms

    @property
    def max_exposure_time_ms(self) -> int:
        return self._limits.max_exposure_ms

    @property
    def min_gain(self) -> float:
        return self._limits.min_gain

    @property
    def max_gain(self) -> float:
        return self._limits.max_gain


class Camera(Dispatcher):
    """The robot's camera: off until a program switches its images on."""

    def __init__(self, robot: Robot, **named: Any) -> None:
        super().__init__(**named)
        self.robot = robot
        self._image_stream_enabled = False
        self._color_image_enabled = False
        self._auto_exposure = True

    @property
    def config(self) -> CameraConfig:
        lens = self.robot._engine.robot.camera.calibration
        if lens is None:
            return CameraConfig((290.0, 290.0), (160.0, 120.0))
        return CameraConfig((lens.fx, lens.fy), (lens.cx, lens.cy))

    @property
    def image_stream_enabled(self) -> bool:
        return self._image_stream_enabled

    @image_stream_enabled.setter
    def image_stream_enabled(self, enabled: bool) -> None:
        self._image_stream_enabled = bool(enabled)
        engine = self.robot._engine
        engine.post(engine.stream, bool(enabled))

    @property
    def color_image_enabled(self) -> bool:
        return self._color_image_enabled

    @color_image_enabled.setter
    def color_image_enabled(self, enabled: bool) -> None:
        self._color_image_enabled = bool(enabled)
        engine = self.robot._engine
        engine.post(lambda: engine.robot.camera.set_color(bool(enabled)))

    @property
    def gain(self) -> float:
        return self.robot._engine.robot.camera.exposure_control.current.gain

    @property
    def exposure_ms(self) -> int:
        return self.robot._engine.robot.camera.exposure_control.current.exposure_ms

    @property
    def is_auto_exposure_enabled(self) -> bool:
        return self._auto_exposure

    def enable_auto_exposure(self, enable_auto_exposure: bool = True) -> None:
        self._auto_exposure = bool(enable_auto_exposure)
        engine = self.robot._engine
        engine.post(lambda: engine.robot.camera.set_auto_exposure(self._auto_exposure))

    def set_manual_exposure(self, exposure_ms: int, gain: float) -> None:
        """Expose for ms, amplified by ``gain``. Raises ``ValueError`` beyond the limits."""
        config = self.config
        for what, value, low, high in (
            ("exposure_ms", exposure_ms, config.min_exposure_time_ms, config.max_exposure_time_ms),
            ("gain", gain, config.min_gain, config.max_gain),
        ):
            if not low <= value <= high:
                raise ValueError(f"{what} {value} is not between {low} and {high}")
        self._auto_exposure = False
        engine = self.robot._engine

        def apply() -> None:
            camera = engine.robot.camera
            camera.set_auto_exposure(False)
            camera.set_exposure(int(exposure_ms))
            camera.set_gain(gain)

        engine.post(apply)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "enable_auto_exposure":
            # Programs assign to it what it takes.
            logs.note("camera.enable_auto_exposure is a method: assigning to it calls it")
            type(self).enable_auto_exposure(self, bool(value))
            return
        super().__setattr__(name, value)


def pil_image(image: Image) -> Any:
    """Return an image as programs of the SDK get it: RGB, 320x240. Raises ``ValueError``."""
    from PIL import Image as Pil

    made = Pil.fromarray(image.pixels()).convert("RGB")
    return made if made.size == _SIZE else made.resize(_SIZE)

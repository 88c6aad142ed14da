"""The camera: pictures, their calibration, colour and exposure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from builtin_interfaces.msg import Time
from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage
from sensor_msgs.srv import SetCameraInfo

from cozmo_interfaces.msg import RobotInfo

from ..media import COLOR_WIDTH, IMAGE_WIDTH, picture
from ..robot import CalibrationSource, CameraCalibration, Exposure, Identity, Image, Signal
from ..ros.camera_calibration import CalibrationError, load, save, saved_path
from ..ros.context import Context, Stamper
from ..ros.file_urls import path_of
from ..ros.media_messages import camera_info, checked_camera_info, compressed_message, image_message
from ..ros.topics import SENSOR

_log = logging.getLogger(__name__)

DEFAULT_CALIBRATION = "package://cozmo_driver/config/camera_default.yaml"
_SOURCES = {
    CalibrationSource.ROBOT: RobotInfo.CALIBRATION_ROBOT,
    CalibrationSource.MEASURED: RobotInfo.CALIBRATION_MEASURED,
}


class CameraPart:
    """``camera/image_raw``, ``camera/image_raw/compressed`` and ``camera/camera_info``.

    Each is published only while somebody subscribes; for ``camera/image_raw`` a picture is decoded
    in a thread of its own.
    """

    def __init__(self, context: Context, info: Callable[[Time, bool], CameraInfo]) -> None:
        """Follow the robot's pictures; ``info`` returns the calibration for stamp and colour."""
        node = context.node
        self._context = context
        self._stamp = Stamper(context.ros_now)
        self._frame = context.frame("camera_frame")
        self._raw = node.create_publisher(ImageMessage, "camera/image_raw", SENSOR)
        self._compressed = node.create_publisher(
            CompressedImage, "camera/image_raw/compressed", SENSOR
        )
        self._info = node.create_publisher(CameraInfo, "camera/camera_info", SENSOR)
        self._info_for = info
        self._latest: Image | None = None
        self._decoding = asyncio.Lock()
        context.robot.on_image.connect(self._on_image)

    def _on_image(self, image: Image) -> None:
        stamp = self._stamp(image.time)
        if self._compressed.get_subscription_count():
            self._compressed.publish(compressed_message(image, stamp, self._frame))
        if self._info.get_subscription_count():
            self._info.publish(self._info_for(stamp, image.is_color))
        if self._raw.get_subscription_count():
            self._context.start(self._publish_raw(image, stamp))

    async def _publish_raw(self, image: Image, stamp: Time) -> None:
        self._latest = image
        async with self._decoding:
            if image is not self._latest:
                return
            try:
                pixels = await asyncio.to_thread(picture, image.jpeg)
            except ValueError as error:
                self._context.log.warning(f"picture {image.image_id} is left out: {error}")
                return
            self._raw.publish(image_message(pixels, stamp, self._frame))


class CameraInfoPart:
    """The calibration: of the file given, else one saved, measured, the robot's, or typical.

    ``camera/set_camera_info`` saves another one.
    """

    def __init__(self, context: Context) -> None:
        """Use the file given or typical values at first. Raises ``CalibrationError``."""
        self._context = context
        self._frame = context.frame("camera_frame")
        self._url: str = context.parameters["camera_info_url"]
        self._typical = load(DEFAULT_CALIBRATION)
        self._serial = 0
        self._robots: CameraCalibration | None = None
        self.source = RobotInfo.CALIBRATION_NONE
        """One of ``RobotInfo.CALIBRATION_*``."""
        self.on_change: Signal[int] = Signal()
        if self._url:
            self._use(load(self._url), RobotInfo.CALIBRATION_FILE, f"from {self._url}")
        else:
            self._use(
                self._typical,
                RobotInfo.CALIBRATION_NONE,
                "typical values until the robot's own are read",
            )
            context.robot.on_identity.connect(self._on_identity)
        context.robot.camera.on_calibration.connect(self._on_calibration)
        context.jobs.serve(SetCameraInfo, "camera/set_camera_info", self._set)

    def message(self, stamp: Time, is_color: bool) -> CameraInfo:
        """Return the calibration of the picture stamped alike; the same object each time."""
        self._message.header.stamp = stamp
        self._message.binning_x = IMAGE_WIDTH // COLOR_WIDTH if is_color else 1
        return self._message

    def _use(self, info: CameraInfo, source: int, what: str) -> None:
        info.header.frame_id = self._frame
        self._message, self.source = info, source
        _log.info(f"camera calibration: {what}")
        self.on_change.emit(source)

    def _on_identity(self, identity: Identity) -> None:
        if identity.head_serial == self._serial:
            return
        if self._serial:
            self._use(
                self._typical,
                RobotInfo.CALIBRATION_NONE,
                "typical values until those of this other robot are read",
            )
        self._serial, self._robots = identity.head_serial, None
        self._context.start(self._use_saved(identity.head_serial))

    async def _use_saved(self, serial: int) -> None:
        path = saved_path(serial)
        try:
            if not await asyncio.to_thread(path.exists):
                return
            info = await asyncio.to_thread(load, str(path))
        except (CalibrationError, OSError) as error:
            _log.warning(f"{error}; it is not used")
            return
        if serial == self._serial:
            self._use(info, RobotInfo.CALIBRATION_FILE, f"from {path}")

    def _on_calibration(self, calibration: CameraCalibration) -> None:
        if self.source == RobotInfo.CALIBRATION_FILE or calibration == self._robots:
            return
        self._robots = calibration
        if (source := _SOURCES.get(calibration.source)) is not None:
            self._use(camera_info(calibration), source, calibration.source.value)
        else:
            what = f"{calibration.source.value} (config/camera_default.yaml)"
            self._use(self._typical, RobotInfo.CALIBRATION_DEFAULT, what)

    async def _set(self, request: SetCameraInfo.Request, _: SetCameraInfo.Response) -> str:
        try:
            path = await self._save(request.camera_info)
        except ValueError as error:
            raise ValueError(f"the calibration is refused: {error}") from error
        return f"saved to {path}"

    async def _save(self, info: CameraInfo) -> Path:
        info = checked_camera_info(info)
        if not self._url and not self._serial:
            raise ValueError(
                "no robot has been connected yet, and the file is named after the robot: connect "
                "first, or name a file in the parameter camera_info_url"
            )
        serial = self._serial
        path = path_of(self._url) if self._url else saved_path(serial)
        try:
            await asyncio.to_thread(save, path, info)
        except OSError as error:
            raise ValueError(f"{path} cannot be written: {error.strerror}") from error
        if serial == self._serial:
            what = f"as set just now; saved to {path}"
            self._use(info, RobotInfo.CALIBRATION_FILE, what)
        return path


class CameraSettingsPart:
    """The parameters of colour and exposure; logs what the robot's camera cannot do."""

    def __init__(self, context: Context) -> None:
        self._camera = camera = context.robot.camera
        self._reported: Exposure | None = None
        context.on_parameter("camera_color", camera.set_color)
        context.on_parameter("camera_gain", camera.set_gain)
        context.on_parameter("camera_exposure", camera.set_exposure)
        context.on_parameter("camera_auto_exposure", camera.set_auto_exposure)
        for name in ("camera_gain", "camera_exposure"):
            context.on_parameter(name, lambda _: self._compare())
        camera.exposure_control.on_change.connect(lambda _: self._compare())

    def _compare(self) -> None:
        control = self._camera.exposure_control
        requested, can = control.requested, control.limits
        if can.clamped(requested) == requested:
            self._reported = None
        elif requested != self._reported:
            self._reported = requested
            _log.warning(
                f"this robot's camera takes a gain of {can.min_gain:g} to {can.max_gain:g} and an "
                f"exposure of {can.min_exposure_ms} to {can.max_exposure_ms} ms: asked for "
                f"{requested.gain:g} and {requested.exposure_ms} ms, the nearest is used"
            )

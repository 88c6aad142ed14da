"""``camera/camera_info``'s calibration and the service ``camera/set_camera_info``."""

from __future__ import annotations

import asyncio
from pathlib import Path

from builtin_interfaces.msg import Time
from rclpy.callback_groups import ReentrantCallbackGroup
from sensor_msgs.msg import CameraInfo
from sensor_msgs.srv import SetCameraInfo

from cozmo_interfaces.msg import RobotInfo

from ...media.mini_jpeg import COLOR_WIDTH, WIDTH
from ...robot import CalibrationSource, CameraCalibration, Identity
from ...robot.signal import Signal
from ..camera_calibration import CalibrationError, load, path_of, save, saved_path
from ..context import Context
from ..conversions.media import camera_info, checked_camera_info
from ..jobs import Jobs
from ..reasons import explain

DEFAULT_CALIBRATION = "package://cozmo_driver/config/camera_default.yaml"


class CameraInfoPart:
    """Knows the calibration: of the file given, else one saved, else the robot's, else typical."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Begin with the file given or with typical values. Raises ``CalibrationError``."""
        self._context, self._jobs = context, jobs
        self._logger = context.node.get_logger()
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
                "typical values until the robot has told its own",
            )
        context.robot.on_identity.connect(self._take_identity)
        context.robot.camera.on_calibration.connect(self._take_robots)
        self._service = context.node.create_service(
            SetCameraInfo,
            "camera/set_camera_info",
            self._set,
            callback_group=ReentrantCallbackGroup(),
        )

    def message(self, stamp: Time, is_color: bool) -> CameraInfo:
        """Return the calibration of the picture stamped alike; the same object each time."""
        self._message.header.stamp = stamp
        self._message.binning_x = WIDTH // COLOR_WIDTH if is_color else 1
        return self._message

    # -- in the robot's thread

    def _use(self, info: CameraInfo, source: int, what: str) -> None:
        info.header.frame_id = self._frame
        self._message, self.source = info, source
        self._logger.info(f"camera calibration: {what}")
        self.on_change.emit(source)

    def _take_identity(self, identity: Identity) -> None:
        if self._url or identity.head_serial == self._serial:
            return
        is_first, self._serial = not self._serial, identity.head_serial
        self._robots = None
        if self._use_saved(saved_path(identity.head_serial)):
            return
        if not is_first:
            self._use(
                self._typical,
                RobotInfo.CALIBRATION_NONE,
                "typical values until this other robot has told its own",
            )

    def _use_saved(self, path: Path) -> bool:
        if not path.exists():
            return False
        try:
            info = load(str(path))
        except CalibrationError as error:
            self._logger.warning(f"{error}; it is not used")
            return False
        self._use(info, RobotInfo.CALIBRATION_FILE, f"from {path}")
        return True

    def _take_robots(self, calibration: CameraCalibration) -> None:
        if self.source == RobotInfo.CALIBRATION_FILE or calibration == self._robots:
            return
        self._robots = calibration
        if calibration.source is CalibrationSource.ROBOT:
            self._use(
                camera_info(calibration), RobotInfo.CALIBRATION_ROBOT, calibration.source.value
            )
        else:
            what = f"{calibration.source.value} (config/camera_default.yaml)"
            self._use(self._typical, RobotInfo.CALIBRATION_DEFAULT, what)

    async def _save(self, info: CameraInfo) -> Path:
        """Keep a calibration and use it. Raises ``ValueError`` with what is wrong."""
        info = checked_camera_info(info)
        if not self._url and not self._serial:
            raise ValueError(
                "no robot has been connected yet, and the file is named after the robot: connect "
                "first, or name a file in the parameter camera_info_url"
            )
        serial = self._serial
        path = path_of(self._url) if self._url else saved_path(serial)
        try:
            # A disk may take its time; states must not wait for it.
            await asyncio.to_thread(save, path, info)
        except OSError as error:
            raise ValueError(f"{path} cannot be written: {error.strerror}") from error
        if serial == self._serial:
            what = f"as set just now; saved to {path}"
            self._use(info, RobotInfo.CALIBRATION_FILE, what)
        return path

    # -- in the executor's thread

    async def _set(
        self, request: SetCameraInfo.Request, response: SetCameraInfo.Response
    ) -> SetCameraInfo.Response:
        try:
            path = await self._jobs.result_of(self._save(request.camera_info))
        except Exception as error:
            _, text = explain(error)
            response.success, response.status_message = False, f"the calibration is refused: {text}"
            return response
        response.success, response.status_message = True, f"saved to {path}"
        return response

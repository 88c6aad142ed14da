"""The node ``cozmo_driver``: makes the parts and ties them to one robot."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence

from rclpy.node import Node

from ..link import Backoff, LoopThread
from ..robot import CameraOptions, Cause, FirmwareOptions, Robot, RobotOptions
from ..ros.context import Context
from ..ros.logs import LogBridge
from ..ros.on_map import PlaceOnMap
from ..ros.parameter_set import ParameterError, ParameterSet
from ..ros.runtime import StopRequest, run_node
from .animation import AnimationPart
from .camera import CameraInfoPart, CameraPart, CameraSettingsPart
from .commands import DrivePart, drive_limits, joint_commands
from .cube_topics import CubesPart
from .diagnostics import DiagnosticsPart
from .display import DisplayPart, LightsPart
from .docking import DockingPart
from .maintenance import (
    FirmwarePart,
    StoragePart,
    cache_folder,
    serve_power_off,
    storage_options,
)
from .motion_actions import DriveActionsPart, JointActionsPart
from .music import MusicPart
from .parameters import PARAMETERS
from .pickup import PickupPart
from .recorder import RecorderPart
from .sensors import OdometryPart, publish_hazards, publish_imu, publish_joint_states
from .services import ServicesPart
from .sound import AudioPart, SpeechPart, stream_options
from .status import IdentityPart, publish_battery, publish_events, publish_status
from .traces import TracesPart, trace_tables

_log = logging.getLogger(__name__)

NODE_NAME = "cozmo_driver"
_HELP = """\
The ROS 2 driver of the robot Cozmo: connects to one robot and offers it on topics, services and
actions until Ctrl-C. Join the robot's Wi-Fi (Cozmo_...) first."""
_STOP_TIMEOUT, _LAST_TIMEOUT = 5.0, 2.0
_JOBS_TIMEOUT = 5.0
"""s: a change of the storage is finished before the driver ends, and its caller answered."""


def robot_options(parameters: ParameterSet) -> RobotOptions:
    """Return what the robot is made with. Raises ``ParameterError``."""
    try:
        backoff = Backoff(
            parameters["reconnect_initial_delay"],
            parameters["reconnect_factor"],
            parameters["reconnect_max_delay"],
        )
    except ValueError as error:
        raise ParameterError(f"the parameters reconnect_*: {error}") from error
    return RobotOptions(
        address=parameters["robot_address"],
        port=parameters["robot_port"],
        network_interface=parameters["network_interface"],
        backoff=backoff,
        limits=drive_limits(parameters),
        camera=CameraOptions(
            enabled=parameters["camera_enabled"],
            color=parameters["camera_color"],
            gain=parameters["camera_gain"],
            exposure_ms=parameters["camera_exposure"],
            auto_exposure=parameters["camera_auto_exposure"],
        ),
        stop_on_cliff=parameters["stop_on_cliff"],
        stop_on_bump=parameters["stop_on_bump"],
        cliff_threshold=parameters["cliff_threshold"],
        wheel_separation=parameters["wheel_separation"],
        volume=parameters["volume"],
        audio=stream_options(parameters),
        storage=storage_options(parameters),
        firmware=FirmwareOptions(allow_update=parameters["allow_firmware_update"]),
        allow_power_off=parameters["allow_power_off"],
        cache_directory=cache_folder(parameters),
        trace_tables=trace_tables(parameters),
    )


class Driver:
    """One robot on the ROS graph."""

    def __init__(self, node: Node, on_failure: Callable[[], object] = lambda: None) -> None:
        """Offer everything and connect. Raises ``ParameterError``.

        ``on_failure`` is called when what keeps the robot safe has failed.
        """
        self.node, self._on_failure = node, on_failure
        parameters = ParameterSet(node, PARAMETERS)
        self.robot = robot = Robot(robot_options(parameters))
        robot.session.on_failure.connect(lambda _: on_failure())
        self._log_bridge = LogBridge(node.get_logger())
        self._log_bridge.attach()
        self._thread = LoopThread()
        self._context = context = Context(node, self._thread, parameters, robot)
        self._diagnostics = DiagnosticsPart(context, self._log_bridge.faults)
        camera_info = CameraInfoPart(context)
        # The odometry first: what else is stamped alike comes after its transform.
        OdometryPart(context)
        publish_hazards(context)
        publish_imu(context)
        publish_joint_states(context)
        publish_battery(context)
        publish_status(context)
        publish_events(context)
        IdentityPart(context, lambda: camera_info.source, camera_info.on_change)
        ServicesPart(context)
        DrivePart(context)
        place = PlaceOnMap(context)
        PickupPart(context, place)
        joint_commands(context)
        CameraPart(context, camera_info.message)
        CameraSettingsPart(context)
        JointActionsPart(context)
        DriveActionsPart(context, place)
        DockingPart(context)
        CubesPart(context)
        LightsPart(context)
        DisplayPart(context)
        AudioPart(context)
        MusicPart(context, AnimationPart(context).player)
        SpeechPart(context)
        StoragePart(context)
        FirmwarePart(context)
        serve_power_off(context)
        TracesPart(context)
        RecorderPart(context)
        context.defer_events()
        self._thread.post(self._diagnostics.start)
        if parameters["auto_connect"]:
            context.in_loop(robot.session.open)

    def run(self, stop: StopRequest) -> None:
        """Wait for the end, then answer goals and requests while the executor still spins."""
        stop.wait()
        self._context.jobs.close(_JOBS_TIMEOUT)

    def close(self) -> None:
        """Stop the motors, disconnect and end the robot's thread; nothing is sent afterwards."""
        self._thread.post(self._diagnostics.stop)
        try:
            if not self._thread.finish(self.robot.stop(Cause.SHUTDOWN), _STOP_TIMEOUT):
                _log.error(
                    "the motors could not be stopped within %g s: the machine is too busy, or "
                    "something blocks the driver; without a link the robot stops within 5 s",
                    _STOP_TIMEOUT,
                )
                self._on_failure()
                # The loop may go on meanwhile, and what ends it would cut the goodbye short.
                self._thread.finish(self.robot.stop(Cause.SHUTDOWN), _LAST_TIMEOUT)
        finally:
            self._context.close()
            self._log_bridge.detach()


def main(args: Sequence[str] | None = None) -> int:
    def make(node: Node, stop: StopRequest) -> Driver:
        return Driver(node, lambda: stop.set(1))

    return run_node("driver_node", _HELP, PARAMETERS, make, NODE_NAME, args)


if __name__ == "__main__":
    sys.exit(main())

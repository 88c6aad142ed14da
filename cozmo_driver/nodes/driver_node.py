"""The node ``cozmo_driver``: makes the parts and ties them to one robot."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from rclpy.node import Node

from ..link import Backoff, LoopThread
from ..robot import CameraOptions, Cause, Robot, RobotOptions
from .command_line import node_parser, parse
from .context import Context
from .errors import StartError
from .jobs import Jobs
from .log_bridge import LogBridge
from .parameter_set import ParameterError, ParameterSet
from .parameters import PARAMETERS
from .parts.animation import AnimationPart
from .parts.audio import AudioPart, stream_options
from .parts.battery import BatteryPart
from .parts.camera import CameraPart
from .parts.camera_info import CameraInfoPart
from .parts.camera_settings import CameraSettingsPart
from .parts.cubes import CubesPart
from .parts.diagnostics import DiagnosticsPart
from .parts.display import DisplayPart
from .parts.drive import DrivePart, drive_limits
from .parts.drive_actions import DriveActionsPart
from .parts.events import EventsPart
from .parts.firmware import FirmwarePart, firmware_options
from .parts.hazards import HazardsPart
from .parts.identity import IdentityPart
from .parts.imu import ImuPart
from .parts.joint_actions import JointActionsPart
from .parts.joint_commands import JointCommandsPart
from .parts.joint_velocities import JointVelocitiesPart
from .parts.joints import JointsPart
from .parts.lights import LightsPart
from .parts.motion_services import MotionServicesPart
from .parts.odometry import OdometryPart
from .parts.path_actions import PathActionsPart
from .parts.power import PowerPart, power_options
from .parts.services import ConnectionPart, SafetyPart, SwitchesPart
from .parts.speech import SpeechPart
from .parts.status import StatusPart
from .parts.storage import StoragePart, cache_folder, storage_options
from .parts.traces import TracesPart, trace_tables
from .runtime import StopRequest, run
from .stamps import Stamper

NODE_NAME = "cozmo_driver"
_HELP = """\
The ROS 2 driver of the robot Cozmo: connects to one robot and offers it on topics, services and
actions until Ctrl-C. Join the robot's Wi-Fi (Cozmo_...) first."""
_STOP_TIMEOUT = 5.0
_JOBS_TIMEOUT = 2.0


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
        firmware=firmware_options(parameters),
        power=power_options(parameters),
        cache_directory=cache_folder(parameters),
        trace_tables=trace_tables(parameters),
    )


class Driver:
    """One robot on the ROS graph."""

    def __init__(self, node: Node, on_failure: Callable[[], object] = lambda: None) -> None:
        """Make everything and begin to connect. Raises ``ParameterError``.

        ``on_failure`` is called when what keeps the robot safe has failed.
        """
        self.node = node
        parameters = ParameterSet(node, PARAMETERS)
        robot = Robot(robot_options(parameters))
        self._log_bridge = LogBridge(node.get_logger())
        self._log_bridge.attach()
        self._thread = LoopThread()
        clock = node.get_clock()
        context = Context(
            node, self._thread, parameters, robot, Stamper(lambda: clock.now().nanoseconds)
        )
        self.robot = robot
        robot.session.on_failure.connect(lambda _: on_failure())
        self._jobs = jobs = Jobs(node, self._thread)
        camera_info = CameraInfoPart(context, jobs)
        self._diagnostics = DiagnosticsPart(context, self._log_bridge.faults)
        self._parts = [
            OdometryPart(context),
            HazardsPart(context),
            ImuPart(context),
            JointsPart(context),
            BatteryPart(context),
            StatusPart(context),
            EventsPart(context),
            IdentityPart(context, lambda: camera_info.source, camera_info.on_change),
            JointCommandsPart(context),
            ConnectionPart(context),
            SafetyPart(context, jobs),
            SwitchesPart(context, jobs),
            DrivePart(context),
            camera_info,
            CameraPart(context, camera_info.message),
            CameraSettingsPart(context),
            JointActionsPart(context, jobs),
            DriveActionsPart(context, jobs),
            PathActionsPart(context, jobs),
            CubesPart(context, jobs),
            LightsPart(context),
            DisplayPart(context),
            AudioPart(context, jobs),
            AnimationPart(context, jobs),
            SpeechPart(context, jobs),
            JointVelocitiesPart(context),
            MotionServicesPart(context, jobs),
            StoragePart(context, jobs),
            FirmwarePart(context, jobs),
            PowerPart(context, jobs),
            TracesPart(context),
        ]
        self._thread.post(self._diagnostics.start)
        if parameters["auto_connect"]:
            self._thread.run(robot.start(), _STOP_TIMEOUT)

    def end_jobs(self) -> None:
        """End what goals and requests wait for and answer them, while the executor still spins."""
        self._jobs.close(_JOBS_TIMEOUT)

    def close(self) -> None:
        """Stop the motors, disconnect and end the robot's thread; nothing is sent afterwards."""
        try:
            self._thread.post(self._diagnostics.stop)
            self._thread.run(self.robot.stop(Cause.SHUTDOWN), _STOP_TIMEOUT)
        finally:
            self._thread.stop()
            self._log_bridge.detach()


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM."""
    words = list(sys.argv if args is None else ["driver_node", *args])
    parse(node_parser("driver_node", _HELP, PARAMETERS), words)
    drivers: list[Driver] = []

    def make(stop: StopRequest) -> Driver:
        node = Node(NODE_NAME)
        try:
            drivers.append(Driver(node, lambda: stop.set(1)))
        except StartError:
            node.destroy_node()
            raise
        return drivers[0]

    def wait(stop: StopRequest) -> None:
        stop.wait()
        drivers[0].end_jobs()

    return run(make, wait, words)


if __name__ == "__main__":
    sys.exit(main())

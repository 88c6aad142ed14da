"""How the robot is: ``status``, ``battery_state``, ``events``, who it is and how the link does."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable

from builtin_interfaces.msg import Time
from sensor_msgs.msg import BatteryState

from cozmo_interfaces.msg import ConnectionState, RobotInfo, RobotStatus
from cozmo_interfaces.msg import RobotEvent as RobotEventMessage

from ..robot import (
    Battery,
    Cause,
    Identity,
    Phase,
    RobotEvent,
    RobotState,
    SessionState,
    Signal,
    Status,
)
from ..ros.context import Context
from ..ros.pacing import Throttle
from ..ros.topics import EVENT, LATCHED, SENSOR
from .robot_messages import (
    battery_message,
    connection_state_message,
    event_message,
    robot_info_message,
    status_message,
)

_log = logging.getLogger(__name__)

_PERIOD = 1.0
_GOOD = {Phase.CONNECTED, Phase.INITIALIZING, Phase.CONNECTING}


def publish_status(context: Context) -> None:
    """Publish ``status`` on every change and once a second while the robot is connected.

    Measured values alone are no change; they come with ``odom``, ``joint_states`` and the like.
    """
    robot = context.robot
    publisher = context.node.create_publisher(RobotStatus, "status", SENSOR)
    frame = context.frame("base_frame")
    due = -math.inf

    def on_state(_: RobotState) -> None:
        # That of the state before: what has changed with this one follows as a change.
        if robot.status is not None and robot.status.state.time >= due:
            # The stamps of the states only rise: an earlier one would move those of this state.
            publish(robot.status, context.stamp_of(robot.status.state.time))

    def on_status(status: Status) -> None:
        publish(status, context.stamp(status.state.time))

    def publish(status: Status, stamp: Time) -> None:
        nonlocal due
        due = status.state.time + _PERIOD
        publisher.publish(status_message(status, stamp, frame))

    robot.on_state.connect(on_state)
    robot.on_status.connect(on_status)


def publish_battery(context: Context) -> None:
    """Publish ``battery_state`` once a second, and at once when the charger changes."""
    robot = context.robot
    publisher = context.node.create_publisher(BatteryState, "battery_state", SENSOR)
    frame = context.frame("base_frame")
    throttle = Throttle(_PERIOD)
    charge: object = None

    def on_battery(battery: Battery) -> None:
        nonlocal charge
        state = robot.state
        if state is None:
            return
        if throttle.is_due(state.time, force=battery.charge is not charge):
            charge = battery.charge
            publisher.publish(battery_message(battery, context.stamp(state.time), frame))

    robot.on_battery.connect(on_battery)


def publish_events(context: Context) -> None:
    """Publish on ``events`` what happens to the robot, with the time at which it happened."""
    publisher = context.node.create_publisher(RobotEventMessage, "events", EVENT)
    frame = context.frame("base_frame")

    def on_event(event: RobotEvent) -> None:
        publisher.publish(event_message(event, context.stamp_of(event.time), frame))

    context.robot.on_event.connect(on_event)


class IdentityPart:
    """``robot_info`` and ``connection_state``, latched and logged."""

    def __init__(
        self,
        context: Context,
        calibration_source: Callable[[], int],
        on_calibration: Signal[int],
    ) -> None:
        """Publish the session's state; ``on_calibration``: ``calibration_source`` has changed."""
        self._context, self._robot = context, context.robot
        self._calibration_source = calibration_source
        self._info = context.node.create_publisher(RobotInfo, "robot_info", LATCHED)
        self._state = context.node.create_publisher(ConnectionState, "connection_state", LATCHED)
        # A robot that is away, or cannot be started, for hours must not fill the log with the same
        # sentences.
        self._logged: tuple[Phase, str] | None = None
        self._logged_identity: Identity | None = None
        self._on_session(self._robot.session_state)
        self._robot.on_session.connect(self._on_session)
        self._robot.on_identity.connect(self._on_identity)
        self._robot.on_calibration.connect(lambda _: self._publish_info())
        on_calibration.connect(lambda _: self._publish_info())

    def _publish_info(self) -> None:
        identity = self._robot.identity
        if identity.head_serial:
            source, stamp = self._calibration_source(), self._context.stamp_now()
            self._info.publish(robot_info_message(identity, self._robot.calibration, source, stamp))

    def _on_identity(self, identity: Identity) -> None:
        self._publish_info()
        if identity == self._logged_identity:
            return
        self._logged_identity = identity
        _log.info(
            "robot %08x, firmware %s %s, body hardware %s",
            identity.head_serial,
            identity.firmware_version,
            identity.firmware_build,
            identity.body_hardware,
        )

    def _on_session(self, state: SessionState) -> None:
        options = self._robot.options
        stamp = self._context.stamp_now()
        self._state.publish(connection_state_message(state, options.address, options.port, stamp))
        self._log(state)

    def _log(self, state: SessionState) -> None:
        if state.phase in (Phase.CONNECTING, Phase.INITIALIZING) and state.attempts > 1:
            return
        key = (state.phase, state.text)
        if key == self._logged or (state.cause is Cause.NONE and state.phase is Phase.DISCONNECTED):
            return
        self._logged = key
        is_good = state.phase in _GOOD or state.cause in (Cause.REQUESTED, Cause.SHUTDOWN)
        _log.log(logging.INFO if is_good else logging.WARNING, "%s", state.text)

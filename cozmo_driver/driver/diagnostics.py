"""``/diagnostics``."""

from __future__ import annotations

import asyncio
import math

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile

from ..robot import Phase, RobotEvent, RobotEventType, SessionState
from ..ros.context import Context
from ..ros.diagnostics import Health, node_health, status_message
from ..ros.logs import Faults
from ..ros.pacing import Rate, Ticker
from .health import (
    PingLoss,
    audio_health,
    battery_health,
    calibration_health,
    camera_health,
    clock_health,
    commands_health,
    link_health,
    motors_health,
)

_PERIOD = 1.0


class DiagnosticsPart:
    """Publishes all health once a second, and on a change of the connection and on pushing."""

    def __init__(self, context: Context, faults: Faults) -> None:
        """Call ``start`` in the robot's thread."""
        self._context, self._audio = context, context.command_topic("audio")
        self._faults = faults
        self._publisher = context.node.create_publisher(
            DiagnosticArray, "/diagnostics", QoSProfile(depth=10)
        )
        self._ticker = Ticker(_PERIOD, self._publish)
        self._losses = Rate(_PERIOD / 2)
        self._reset_rates()
        self._connected_at = math.inf
        self.start, self.stop = self._ticker.start, self._ticker.stop
        context.robot.on_session.connect(self._on_session)
        context.robot.on_event.connect(self._on_event)

    def _reset_rates(self) -> None:
        self._states, self._images = Rate(_PERIOD / 2), Rate(_PERIOD / 2)
        self._ping_loss = PingLoss()

    def _on_session(self, state: SessionState) -> None:
        if state.phase is Phase.CONNECTED:
            self._connected_at = asyncio.get_running_loop().time()
            self._reset_rates()
        self._publish()

    def _on_event(self, event: RobotEvent) -> None:
        if event.type is RobotEventType.UNEXPECTED_MOVEMENT:
            self._publish()

    def _publish(self) -> None:
        now = asyncio.get_running_loop().time()
        robot, node = self._context.robot, self._context.node
        serial = robot.identity.head_serial
        hardware_id = f"{serial:08x}" if serial else ""
        # Monitors distinguish robots by these names only.
        whose = node.get_fully_qualified_name().lstrip("/")
        message = DiagnosticArray()
        message.header.stamp = self._context.stamp_now()
        message.status = [
            status_message(f"{whose}: {name}", hardware_id, health)
            for name, health in self._healths(now).items()
        ]
        self._publisher.publish(message)

    def _healths(self, now: float) -> dict[str, Health]:
        robot = self._context.robot
        received = robot.link_statistics.last_receive
        is_connected = robot.session_state.phase is Phase.CONNECTED
        is_warm = now - self._connected_at > 2 * _PERIOD
        camera, stream = robot.camera, robot.audio.stream
        losses = stream.statistics.underruns + stream.statistics.dropped
        state_rate = self._states.update(robot.state_tracker.received, now)
        return {
            "link": link_health(
                robot.session_state,
                robot.statistics,
                robot.link_statistics,
                state_rate=state_rate,
                missed_states=robot.state_tracker.missed,
                ping_loss=self._ping_loss.update(robot.statistics, now),
                silence=math.nan if received is None else now - received,
                is_rate_known=is_warm,
            ),
            # What a robot measured that is not there says nothing of now.
            "battery": battery_health(robot.battery if is_connected else None),
            "motors": motors_health(robot, robot.state if is_connected else None),
            "calibration": calibration_health(robot.calibration),
            "commands": commands_health(
                {name: topic.counters for name, topic in self._context.commands.items()}
            ),
            "camera": camera_health(
                camera,
                rate=self._images.update(camera.statistics.images, now),
                is_wanted=camera.is_enabled and is_connected and is_warm,
            ),
            "audio": audio_health(
                stream.statistics,
                self._audio.counters,
                waiting=stream.delay if stream.is_active else 0.0,
                is_playing=stream.is_active,
                losses=self._losses.update(losses, now),
            ),
            "clock": clock_health(
                robot.clock,
                robot.statistics,
                is_acknowledged=robot.session.clock_acknowledged is not False,
                is_running=is_connected,
            ),
            "node": node_health(self._faults),
        }

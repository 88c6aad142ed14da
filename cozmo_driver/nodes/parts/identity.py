"""``robot_info`` and ``connection_state``, latched."""

from __future__ import annotations

from collections.abc import Callable

from cozmo_interfaces.msg import ConnectionState, RobotInfo

from ...robot import Cause, Identity, Phase, SessionState
from ...robot.signal import Signal
from ..context import Context
from ..conversions.robot import connection_state_message, robot_info_message
from ..qos import LATCHED

_GOOD = {Phase.CONNECTED, Phase.INITIALIZING, Phase.CONNECTING}


class IdentityPart:
    """Publishes who the robot is and how the link to it stands, and says it in the log."""

    def __init__(
        self,
        context: Context,
        calibration_source: Callable[[], int],
        on_calibration: Signal[int],
    ) -> None:
        """Follow the robot's session, beginning with its present state.

        ``on_calibration`` tells that ``calibration_source`` has another value.
        """
        self._context = context
        self._logger = context.node.get_logger()
        self._calibration_source = calibration_source
        self._info = context.node.create_publisher(RobotInfo, "robot_info", LATCHED)
        self._state = context.node.create_publisher(ConnectionState, "connection_state", LATCHED)
        self._said: tuple[Phase, str] | None = None
        self._take_session(context.robot.session_state)
        context.robot.on_session.connect(self._take_session)
        context.robot.on_identity.connect(self._take_identity)
        on_calibration.connect(lambda _: self._publish_info())

    def _publish_info(self) -> None:
        identity = self._context.robot.identity
        if identity.head_serial:
            self._info.publish(
                robot_info_message(identity, self._calibration_source(), self._context.stamp_now())
            )

    def _take_identity(self, identity: Identity) -> None:
        self._publish_info()
        self._logger.info(
            f"robot {identity.head_serial:08x}, firmware {identity.firmware_version} "
            f"{identity.firmware_build}, body hardware {identity.body_hardware}"
        )

    def _take_session(self, state: SessionState) -> None:
        options = self._context.robot.options
        self._state.publish(
            connection_state_message(
                state, options.address, options.port, self._context.stamp_now()
            )
        )
        self._say(state)

    def _say(self, state: SessionState) -> None:
        # A robot that is away for hours must not fill the log with the same sentence.
        if state.phase is Phase.CONNECTING and state.attempts > 1:
            return
        key = (state.phase, state.text)
        if key == self._said or (state.cause is Cause.NONE and state.phase is Phase.DISCONNECTED):
            return
        self._said = key
        if state.phase in _GOOD or state.cause in (Cause.REQUESTED, Cause.SHUTDOWN):
            self._logger.info(state.text)
        else:
            self._logger.warning(state.text)

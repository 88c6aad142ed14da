"""Who the robot is and how the link to it stands."""

from __future__ import annotations

from builtin_interfaces.msg import Time

from cozmo_interfaces.msg import ConnectionState, RobotInfo

from ...robot import Cause, Identity, Phase, SessionState
from ...robot.start import NEWEST_KNOWN_FIRMWARE, OLDEST_KNOWN_FIRMWARE
from .headers import header

_FIRST_BODY_WITH_BUTTON = 5
_STATES = {
    Phase.DISCONNECTED: ConnectionState.DISCONNECTED,
    Phase.CONNECTING: ConnectionState.CONNECTING,
    Phase.INITIALIZING: ConnectionState.INITIALIZING,
    Phase.CONNECTED: ConnectionState.CONNECTED,
    Phase.DISCONNECTING: ConnectionState.DISCONNECTING,
    Phase.WAITING: ConnectionState.WAITING,
}
_REASONS = {
    Cause.NONE: ConnectionState.REASON_NONE,
    Cause.REQUESTED: ConnectionState.REASON_REQUESTED,
    Cause.NO_ANSWER: ConnectionState.REASON_NO_ANSWER,
    Cause.SILENT: ConnectionState.REASON_SILENT,
    Cause.CLOSED: ConnectionState.REASON_CLOSED,
    Cause.NOT_READY: ConnectionState.REASON_NOT_READY,
    Cause.NETWORK: ConnectionState.REASON_NETWORK,
    Cause.FIRMWARE: ConnectionState.REASON_FIRMWARE,
    Cause.SHUTDOWN: ConnectionState.REASON_SHUTDOWN,
}


def robot_info_message(identity: Identity, calibration_source: int, stamp: Time) -> RobotInfo:
    """Return the identity; ``calibration_source`` is one of ``RobotInfo.CALIBRATION_*``."""
    version = identity.firmware_version
    return RobotInfo(
        header=header(stamp, ""),
        address=identity.address,
        port=int(identity.port),
        head_serial=int(identity.head_serial),
        body_serial=int(identity.body_serial),
        wifi_flash_id=int(identity.wifi_flash_id),
        hardware_revision=f"1.{identity.head_revision}",
        body_hardware_version=int(identity.body_hardware),
        body_color=int(identity.body_color),
        has_button=identity.body_hardware >= _FIRST_BODY_WITH_BUTTON,
        firmware_version=int(version),
        firmware_build=identity.firmware_build,
        firmware_date=identity.firmware_date,
        firmware_signature=identity.firmware_json,
        is_firmware_known=OLDEST_KNOWN_FIRMWARE <= version <= NEWEST_KNOWN_FIRMWARE,
        is_factory_firmware=identity.firmware_build == "FACTORY",
        calibration_source=int(calibration_source),
    )


def connection_state_message(
    state: SessionState, address: str, port: int, stamp: Time
) -> ConnectionState:
    """Return the state of the session with the robot at ``address``:``port``."""
    return ConnectionState(
        header=header(stamp, ""),
        state=_STATES[state.phase],
        previous_state=_STATES[state.previous],
        reason=_REASONS[state.cause],
        message=state.text,
        address=address,
        port=int(port),
        attempts=int(state.attempts),
        connections=int(state.connections),
        next_attempt=float(state.next_attempt),
    )

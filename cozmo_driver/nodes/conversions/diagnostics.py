"""Health for people and monitors: facts of one moment to diagnostic statuses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from ...link import LinkStatistics
from ...protocol import Statistics
from ...robot import Battery, Phase, RobotState, SessionState
from ...robot.battery import CRITICAL, LOW
from ...robot.camera import CameraStatistics

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
STALE = DiagnosticStatus.STALE

_RIGHT_STATE_RATE = 30.0
"""States per second below which the link counts as bad; 33.3 is right."""
_WORST_PING_LOSS = 0.2
_WORST_SKEW = 0.005
"""s; the slewing of the clock keeps up with anything smaller in 5 s."""


@dataclass(frozen=True, slots=True)
class Health:
    """Level, sentence and values of one status."""

    level: bytes
    message: str
    values: Mapping[str, object]


def status_message(name: str, hardware_id: str, health: Health) -> DiagnosticStatus:
    """Return a status; floats are given with six digits."""
    return DiagnosticStatus(
        level=health.level,
        name=name,
        message=health.message,
        hardware_id=hardware_id,
        values=[KeyValue(key=key, value=_text(value)) for key, value in health.values.items()],
    )


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def link_health(
    session: SessionState,
    statistics: Statistics,
    socket: LinkStatistics,
    *,
    state_rate: float,
    missed_states: int,
    silence: float,
    is_rate_known: bool,
) -> Health:
    """Judge the link; ``state_rate`` in 1/s, ``silence`` since the last datagram in s."""
    values = {
        "state": session.phase.value,
        "reason": session.cause.value,
        "attempts": session.attempts,
        "connections": session.connections,
        "silence [s]": silence,
        "state rate [1/s]": state_rate,
        "missed states": missed_states,
        "round trip [ms]": _milliseconds(statistics.round_trip_smoothed),
        "least round trip [ms]": _milliseconds(statistics.round_trip_min),
        "ping loss": statistics.ping_loss,
        "resends": statistics.resends,
        "duplicates": statistics.duplicates,
        "gaps": statistics.gaps,
        "datagrams sent": statistics.datagrams_sent,
        "datagrams received": statistics.datagrams_received,
        "bytes sent": statistics.bytes_sent,
        "bytes received": statistics.bytes_received,
        "refused": ", ".join(f"{n} {kind}" for kind, n in statistics.refused.items()) or 0,
        "foreign datagrams": socket.foreign,
        "send errors": socket.send_errors,
    }
    match session.phase:
        case Phase.CONNECTED if is_rate_known and state_rate < _RIGHT_STATE_RATE:
            return Health(WARN, f"{state_rate:.1f} states/s of 33.3 arrive", values)
        case Phase.CONNECTED if statistics.ping_loss > _WORST_PING_LOSS:
            loss = round(100 * statistics.ping_loss)
            return Health(WARN, f"{loss} % of the pings are lost: weak Wi-Fi", values)
        case Phase.CONNECTED:
            return Health(OK, session.text, values)
        case Phase.WAITING:
            return Health(ERROR, session.text, values)
        case Phase.CONNECTING if session.connections or session.attempts > 1:
            return Health(ERROR, f"not connected: {session.cause.value}", values)
        case Phase.DISCONNECTED | Phase.DISCONNECTING:
            return Health(WARN, f"not connected: {session.text}", values)
        case _:
            return Health(WARN, session.text, values)


def _milliseconds(value: float | None) -> float:
    return math.nan if value is None else 1000 * value


def battery_health(battery: Battery | None, critical_for: float, patience: float = 5.0) -> Health:
    """Judge the battery; ``critical_for`` is how long it has been critical, s (spec 10 §1.2)."""
    if battery is None:
        return Health(STALE, "not measured yet", {})
    values = {
        "voltage [V]": battery.voltage,
        "level": battery.level,
        "charge": battery.charge.value,
        "on charger": battery.is_on_charger,
    }
    if battery.is_on_charger:
        return Health(OK, battery.charge.value, values)
    if battery.voltage < CRITICAL and critical_for >= patience:
        return Health(ERROR, "empty: the robot is about to switch off", values)
    if battery.voltage < LOW:
        return Health(WARN, "low: put the robot on its charger", values)
    return Health(OK, f"{battery.voltage:.2f} V", values)


@dataclass(frozen=True, slots=True)
class CommandCounters:
    """Velocity commands since the start."""

    accepted: int = 0
    rejected: int = 0
    refused: int = 0
    expired: int = 0
    last_reason: str = ""


def motors_health(
    state: RobotState | None,
    commands: CommandCounters,
    *,
    is_head_calibrated: bool,
    is_lift_calibrated: bool,
    is_emergency_stopped: bool,
) -> Health:
    """Judge the motors and who commands them."""
    values: dict[str, object] = {
        "head calibrated": is_head_calibrated,
        "lift calibrated": is_lift_calibrated,
        "emergency stop": is_emergency_stopped,
        "velocity commands accepted": commands.accepted,
        "velocity commands rejected": commands.rejected,
        "velocity commands refused": commands.refused,
        "velocity commands expired": commands.expired,
        "last reason": commands.last_reason,
    }
    if state is None:
        return Health(STALE, "not measured yet", values)
    values |= {
        "left tread [m/s]": state.left_wheel_speed,
        "right tread [m/s]": state.right_wheel_speed,
        "head [rad]": state.head_angle,
        "lift arm [rad]": state.lift_angle,
    }
    if is_emergency_stopped:
        return Health(WARN, "emergency stop is latched: call release_stop to drive", values)
    if not (is_head_calibrated and is_lift_calibrated):
        return Health(WARN, "head or lift is not calibrated", values)
    return Health(OK, "calibrated", values)


def camera_health(
    statistics: CameraStatistics, incomplete: int, stale: int, *, rate: float, is_wanted: bool
) -> Health:
    """Judge the camera; ``rate`` in pictures/s, ``is_wanted`` while pictures should come."""
    values = {
        "rate [1/s]": rate,
        "pictures": statistics.images,
        "warm-up pictures dropped": statistics.warm_up_dropped,
        "incomplete pictures": incomplete,
        "stale pictures": stale,
        "damaged pictures": statistics.rejected,
    }
    if not is_wanted:
        return Health(OK, "no pictures expected", values)
    if rate == 0.0:
        return Health(WARN, "no pictures arrive", values)
    return Health(OK, f"{rate:.1f} pictures/s", values)


def clock_health(offset: float, skew: float, *, is_running: bool) -> Health:
    """Judge how well the robot's clock is followed; both in s."""
    values = {"offset [s]": offset, "skew [ms]": 1000 * skew}
    if not is_running or math.isnan(offset):
        return Health(STALE, "not synchronised", values)
    if abs(skew) > _WORST_SKEW:
        return Health(WARN, f"stamps are {1000 * skew:.1f} ms off", values)
    return Health(OK, "synchronised", values)

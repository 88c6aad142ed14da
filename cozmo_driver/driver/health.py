"""Health for people and monitors: facts of one moment to diagnostic statuses."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict

from ..link import LinkStatistics
from ..media import FRAME_TIME
from ..protocol import MotorID, Statistics
from ..robot import (
    HOLD_TEXT,
    AudioStreamStatistics,
    Battery,
    Camera,
    Charge,
    DeviceClock,
    Phase,
    Robot,
    RobotCalibration,
    RobotState,
    SessionState,
)
from ..ros.diagnostics import ERROR, OK, STALE, WARN, Health
from ..ros.topics import CommandCounters

_RIGHT_STATE_RATE = 30.0
"""States per second below which the link counts as bad; 33.3 is right."""
_WORST_PING_LOSS = 0.2
_LOSS_TIME, _LOSS_PINGS = 10.0, 40
"""s and pings over which the loss is taken: while commands stream only 2 pings/s are sent."""
_BUMP_TIME = 5.0
"""How long a bump is reported after it happened, s."""
_WORST_SKEW = 0.005
"""s; the slewing of the clock keeps up with anything smaller in 5 s."""


class PingLoss:
    """Share of the last pings that were lost, of both ways together; time is a parameter."""

    def __init__(self) -> None:
        # Offline no pings settle: nothing may pile up.
        self._samples: deque[tuple[float, int, int]] = deque(maxlen=100)

    def update(self, statistics: Statistics, now: float) -> float:
        """Return the share, 0 to 1, about once a second; 0 while there were few pings."""
        lost = statistics.pings_lost
        settled = lost + statistics.pings_answered
        samples = self._samples
        samples.append((now, lost, settled))
        while now - samples[0][0] > _LOSS_TIME and settled - samples[1][2] >= _LOSS_PINGS:
            samples.popleft()
        _, lost_before, settled_before = samples[0]
        settled -= settled_before
        return (lost - lost_before) / settled if settled >= _LOSS_PINGS else 0.0


def link_health(
    session: SessionState,
    statistics: Statistics,
    socket: LinkStatistics,
    *,
    state_rate: float,
    missed_states: int,
    ping_loss: float,
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
        "ping loss": ping_loss,
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
        case Phase.CONNECTED if ping_loss > _WORST_PING_LOSS:
            loss = round(100 * ping_loss)
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


def battery_health(battery: Battery | None) -> Health:
    if battery is None:
        return Health(STALE, "not measured now", {})
    values = {
        "voltage [V]": battery.voltage,
        "level": battery.level,
        "charge": battery.charge.value,
        "on charger": battery.is_on_charger,
    }
    if battery.charge is Charge.CHARGER_OUT_OF_SPEC:
        text = (
            "the charger's voltage is wrong: use its own, and a USB supply of 5 V and 1 A or more"
        )
        return Health(WARN, text, values)
    if battery.is_on_charger:
        return Health(OK, battery.charge.value, values)
    if battery.is_critical:
        return Health(ERROR, "empty: the robot is about to switch off", values)
    if battery.is_low:
        return Health(WARN, "low: put the robot on its charger", values)
    return Health(OK, f"{battery.voltage:.2f} V", values)


def calibration_health(calibration: RobotCalibration) -> Health:
    """Tell which measured values are used, and where they are from."""
    used = ", ".join(
        f"{name.replace('_', ' ')} {calibration.text(name)}" for name in calibration.measured
    )
    return Health(OK, used or "nothing was measured", calibration.texts())


def commands_health(commands: Mapping[str, CommandCounters]) -> Health:
    values: dict[str, object] = {}
    undone = 0
    for topic, counters in commands.items():
        undone += counters.rejected + counters.refused
        for name, value in asdict(counters).items():
            values[f"{topic} {name.replace('_', ' ')}"] = value
    return Health(OK, f"{undone} not done" if undone else "all were done", values)


def motors_health(robot: Robot, state: RobotState | None) -> Health:
    """Judge the motors by the state of now, None without a robot."""
    calibration = robot.session.calibration
    values: dict[str, object] = {
        "head calibrated": calibration.has(MotorID.HEAD),
        "lift calibrated": calibration.has(MotorID.LIFT),
        "emergency stop": robot.motion.is_stopped,
    }
    if state is None:
        return Health(STALE, "not measured now", values)
    values |= {
        "left tread [m/s]": state.left_wheel_speed,
        "right tread [m/s]": state.right_wheel_speed,
        "head [rad]": state.head_angle,
        "lift arm [rad]": state.lift_angle,
    }
    if robot.motion.is_stopped:
        return Health(WARN, "emergency stop is latched: call release_stop to drive", values)
    if robot.motion.is_held:
        return Health(WARN, HOLD_TEXT, values)
    if not calibration.is_complete:
        return Health(WARN, "head or lift is not calibrated", values)
    current, last = robot.obstacles.current, robot.obstacles.last
    if last is not None and (current is not None or state.time - last.time < _BUMP_TIME):
        ago = state.time - last.started_at
        text = f"{last.text} ({ago:.1f} s ago); drive the other way, turn, or free the robot"
        return Health(WARN, text, values)
    return Health(OK, "calibrated", values)


def camera_health(camera: Camera, *, rate: float, is_wanted: bool) -> Health:
    """Judge the camera; ``rate`` in pictures/s, ``is_wanted`` while pictures should come."""
    statistics, control = camera.statistics, camera.exposure_control
    values = {
        "rate [1/s]": rate,
        "pictures": statistics.images,
        "warm-up pictures dropped": statistics.warm_up_dropped,
        "incomplete pictures": camera.assembler.incomplete,
        "stale pictures": camera.assembler.stale,
        "damaged pictures": statistics.rejected,
        "exposure [ms]": control.current.exposure_ms,
        "gain": control.current.gain,
        "automatic exposure": control.is_auto,
        "mean gray": control.brightness,
    }
    if not is_wanted:
        return Health(OK, "no pictures expected", values)
    if rate == 0.0:
        return Health(WARN, "no pictures arrive", values)
    return Health(OK, f"{rate:.1f} pictures/s", values)


def audio_health(
    statistics: AudioStreamStatistics,
    pieces: CommandCounters,
    *,
    waiting: float,
    is_playing: bool,
    losses: float,
) -> Health:
    """Judge the topic ``audio``; ``waiting`` is sound not yet played, s.

    ``losses`` is how many gaps and seconds dropped were added in the last second.
    """
    values = {
        "waiting [s]": waiting,
        "accepted pieces": pieces.accepted,
        "rejected pieces": pieces.rejected,
        "refused pieces": pieces.refused,
        "streams": statistics.streams,
        "gaps": statistics.underruns,
        "silence in gaps [s]": statistics.silent_frames * FRAME_TIME,
        "dropped [s]": statistics.dropped,
        "missed in stalls [s]": statistics.missed,
    }
    if losses > 0.0:
        return Health(WARN, "gaps: sound comes too late or too fast; see audio_latency", values)
    return Health(OK, "playing" if is_playing else "silent", values)


def clock_health(
    clock: DeviceClock, statistics: Statistics, *, is_acknowledged: bool, is_running: bool
) -> Health:
    """Judge how well the robot's clock is followed.

    Half of the least round trip is by how much stamps are late: a delay of both ways looks the
    same as another setting of the robot's clock.
    """
    skew = clock.skew
    values = {
        "offset [s]": clock.offset,
        "skew [ms]": 1000 * skew,
        "drift [ppm]": 1e6 * clock.drift,
        "round trip [ms]": _milliseconds(statistics.round_trip_smoothed),
        "least round trip [ms]": _milliseconds(statistics.round_trip_min),
    }
    if not is_running or math.isnan(clock.offset):
        return Health(STALE, "not synchronised", values)
    if abs(skew) > _WORST_SKEW:
        return Health(WARN, f"stamps are {1000 * skew:.1f} ms off", values)
    if not is_acknowledged:
        return Health(
            WARN, "the robot did not acknowledge its clock; stamps follow what arrives", values
        )
    return Health(OK, "synchronised", values)

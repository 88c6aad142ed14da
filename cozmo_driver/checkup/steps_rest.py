"""Steps for which the robot stands still: network, identity, battery, sensors."""

from __future__ import annotations

import asyncio
import math
from itertools import pairwise

import numpy as np

from ..robot import NEWEST_KNOWN_FIRMWARE, OLDEST_KNOWN_FIRMWARE, Charge
from .air import air_towards
from .analysis import Floats, axes_of, deviation, mean, turned
from .bench import Bench
from .step import Quantity, Result, Series, Step, Verdict, failed, skipped

_LISTEN = 6.0
_WITH_IMAGES = 4.0
_BAD_LOSS = 0.06
_BAD_ROUND_TRIP = 0.060
"""Loss of pings, both ways together, and s: beyond, images and sound stutter (``cozmo doctor``)."""
_LONG_GAP = 0.35
"""s; a healthy link has no longer one (spec 14)."""
_REST = 4.0
_STILL_ANGLE, _STILL_RATE = 0.01, 0.05
"""rad of the heading in ``_REST``, and rad/s about any axis, that no robot at rest reaches: ten
times its wander, fifty times its noise (spec 18)."""
_CLOCK_TIMEOUT = 30.0
_HARDWARE = {4: "1.0", 5: "1.5"}
"""What was measured, by the body's version (spec 00, 18)."""


async def _network(bench: Bench) -> Result:
    robot = bench.robot
    before, missed = robot.statistics, robot.state_tracker.missed
    answered, lost, resends = before.pings_answered, before.pings_lost, before.resends
    states = await bench.record(_LISTEN)
    now = robot.statistics
    pings = now.pings_answered - answered + now.pings_lost - lost
    gaps = [b.received_at - a.received_at for a, b in pairwise(states)]
    periods = [b.robot_time - a.robot_time for a, b in pairwise(states)]
    lost_states = robot.state_tracker.missed - missed
    values = {
        "state_period": Quantity(float(np.median(periods)), "s"),
        "states_missed_share": Quantity(lost_states / (lost_states + len(states))),
        "longest_gap": Quantity(max(gaps, default=math.nan), "s"),
        "round_trip": Quantity(now.round_trip_smoothed or math.nan, "s"),
        "round_trip_best": Quantity(now.round_trip_min or math.nan, "s"),
        "pings_lost_share": Quantity((now.pings_lost - lost) / pings if pings else math.nan),
        "messages_resent": Quantity(now.resends - resends),
        **await _throughput(bench),
    }
    options = robot.options
    air, channel = await asyncio.to_thread(air_towards, options.address, options.network_interface)
    values |= air
    series = Series(
        "Arrival of the robot's states",
        "time / s",
        "since the state before / ms",
        {
            "gap": [
                (state.received_at - states[0].received_at, 1000 * gap)
                for state, gap in zip(states[1:], gaps, strict=True)
            ]
        },
    )
    trip, loss = now.round_trip_smoothed, values["pings_lost_share"].value
    if trip is None:
        sentence, advice = "not one ping was answered", "bring the robot nearer, and repeat"
        return failed(sentence, advice, **values)
    sentence = (
        f"{len(gaps) / sum(gaps):.1f} states/s, round trip {1000 * trip:.0f} ms, "
        f"longest gap {1000 * max(gaps):.0f} ms; {channel}"
    )
    is_bad = (
        trip > _BAD_ROUND_TRIP
        or max(gaps) > _LONG_GAP
        or float(loss) > _BAD_LOSS
        or float(values["states_missed_share"].value) > _BAD_LOSS / 2
    )
    verdict = Verdict.UNUSUAL if is_bad else Verdict.PASSED
    advice = (
        "bring the robot nearer, switch the adapter's power saving off; see cozmo doctor"
        if is_bad
        else ""
    )
    if is_bad and values.get("access_points_on_channel", Quantity(0)).value:
        advice += "; others share its channel: farther from them, and nearer to the robot"
    return Result(verdict, sentence, values, advice, (series,))


async def _throughput(bench: Bench) -> dict[str, Quantity]:
    """Measure what comes while the camera's images do."""
    statistics, camera = bench.robot.statistics, bench.robot.camera
    async with bench.camera():
        await bench.images(1)
        begun, received, images = bench.now, statistics.bytes_received, camera.statistics.images
        await bench.record(_WITH_IMAGES)
        elapsed = bench.now - begun
    return {
        "received_with_images": Quantity(
            (bench.robot.statistics.bytes_received - received) / elapsed, "B/s"
        ),
        "image_rate": Quantity((camera.statistics.images - images) / elapsed, "Hz"),
    }


async def _identity(bench: Bench) -> Result:
    one = bench.robot.identity
    hardware = _HARDWARE.get(one.body_hardware, f"number {one.body_hardware}")
    values = {
        "firmware": Quantity(one.firmware_version),
        "firmware_build": Quantity(one.firmware_build),
        "body_hardware": Quantity(one.body_hardware),
        "head_revision": Quantity(one.head_revision),
        "body_color": Quantity(one.body_color),
    }
    sentence = f"firmware {one.firmware_version}, hardware {hardware}"
    if not OLDEST_KNOWN_FIRMWARE <= one.firmware_version <= NEWEST_KNOWN_FIRMWARE:
        advice = (
            f"the driver knows {OLDEST_KNOWN_FIRMWARE} to {NEWEST_KNOWN_FIRMWARE}; see cozmo update"
        )
        return Result(Verdict.UNUSUAL, sentence, values, advice)
    if one.body_hardware not in _HARDWARE:
        advice = "no robot like this one was measured: please send its report"
        return Result(Verdict.UNUSUAL, sentence, values, advice)
    return Result(Verdict.PASSED, sentence, values)


async def _battery(bench: Bench) -> Result:
    states = await bench.record(2.0)
    voltages = [state.battery_voltage for state in states]
    battery = bench.robot.battery
    assert battery is not None
    name = "charger_voltage" if battery.is_on_charger else "voltage"
    values = {
        name: Quantity(float(np.median(voltages)), "V"),
        "least": Quantity(min(voltages), "V"),
        "greatest": Quantity(max(voltages), "V"),
        "charge": Quantity(battery.charge.value),
    }
    sentence = f"{np.median(voltages):.2f} V"
    if battery.is_on_charger:
        sentence += f" on the charger, {battery.charge.value}"
        if battery.charge is Charge.CHARGER_OUT_OF_SPEC:
            advice = "use the charger and a USB supply of 5 V and 1 A or more"
            return Result(Verdict.UNUSUAL, f"{sentence}: its voltage is wrong", values, advice)
    elif battery.is_low:
        advice = "put the robot on its charger; what drives is not done"
        return Result(Verdict.UNUSUAL, f"{sentence}, low", values, advice)
    else:
        sentence += f", about {battery.level:.0%}, off the charger"
    return Result(Verdict.PASSED, sentence, values)


async def _sensors(bench: Bench) -> Result:
    states = await bench.record(_REST)
    accelerations = axes_of(state.acceleration for state in states)
    rates = axes_of(state.angular_velocity for state in states)
    turn, rate = turned(states), float(np.abs(rates).max())
    if abs(turn) > _STILL_ANGLE or rate > _STILL_RATE:
        return skipped(
            "the robot or its table was moved",
            "repeat the step; if nobody moved it, send the report",
            turned=Quantity(turn, "rad"),
            most_rate=Quantity(rate, "rad/s"),
        )
    pitches = [state.pitch for state in states]
    norm = float(np.linalg.norm(accelerations.mean(axis=0)))
    values = {"norm": Quantity(norm, "m/s^2"), "head_angle": Quantity(states[-1].head_angle, "rad")}
    for name, unit, columns in (
        ("accelerometer", "m/s^2", accelerations),
        ("gyro", "rad/s", rates),
    ):
        for axis, column in zip("xyz", columns.T, strict=True):
            values[f"{name}_{axis}"] = Quantity(mean(column), unit)
            values[f"{name}_noise_{axis}"] = Quantity(deviation(column), unit)
    values["pitch"] = Quantity(mean(pitches), "rad")
    values["pitch_noise"] = Quantity(deviation(pitches), "rad")
    values["heading_wander"] = Quantity(deviation([state.pose.yaw for state in states]), "rad")
    values["cliff"] = Quantity(mean([state.cliff_raw[0] for state in states]))
    times = [state.time - states[0].time for state in states]

    def plot(title: str, label: str, columns: Floats) -> Series:
        curves = {
            axis: list(zip(times, map(float, 1000 * column), strict=True))
            for axis, column in zip("xyz", columns.T, strict=True)
        }
        return Series(title, "time / s", label, curves)

    series = (
        plot(
            "Accelerometer at rest",
            "acceleration - mean / mm/s²",
            accelerations - accelerations.mean(axis=0),
        ),
        plot("Gyroscope at rest", "turn rate / mrad/s", rates),
    )
    sentence = (
        f"accelerometer {norm:.2f} m/s² with "
        f"{1000 * deviation(accelerations[:, 0]):.0f} mm/s² of noise, gyro zero "
        f"{1000 * np.abs(rates.mean(axis=0)).max():.1f} mrad/s, "
        f"reported pitch {math.degrees(mean(pitches)):+.1f}°"
    )
    return Result(Verdict.PASSED, sentence, values, series=series)


async def _clock(bench: Bench) -> Result:
    clock = bench.robot.clock
    states = await bench.record(_CLOCK_TIMEOUT, lambda _: not math.isnan(clock.drift))
    if math.isnan(clock.drift):
        return skipped(f"{len(states)} states are too few to tell", "repeat the step")
    values = {
        "drift": Quantity(clock.drift, "s/s"),
        "skew": Quantity(clock.skew, "s"),
    }
    faster = "slower" if clock.drift > 0.0 else "faster"
    sentence = (
        f"the robot's clock runs {1e6 * abs(clock.drift):.0f} ppm {faster} than this computer's"
    )
    return Result(Verdict.PASSED, sentence, values)


CLOCK = Step(
    "clock",
    "Clock",
    "Compares the robot's clock with the computer's, for 30 s at most; nothing moves.",
    _clock,
)
"""By the arrivals of the last two minutes: late among the steps it takes no time."""
STEPS = (
    Step(
        "network",
        "Network",
        "Listens to the robot for 6 s, then lets its camera send images for 4 s.",
        _network,
    ),
    Step("identity", "Identity and firmware", "Reads versions; nothing moves.", _identity),
    Step("battery", "Battery", "Reads the voltage for 2 s; nothing moves.", _battery),
    Step(
        "sensors",
        "Sensors at rest",
        "Reads accelerometer, gyroscope and cliff sensor for 4 s. Do not touch the table.",
        _sensors,
        is_on_ground=True,
    ),
)

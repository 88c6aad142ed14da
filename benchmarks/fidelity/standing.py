"""A robot that stands: its sensors, its battery, and the calibration that comes first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean, median, stdev

from cozmo_driver.emulator.hardware import FULL
from cozmo_driver.protocol.enums import MotorID
from cozmo_driver.protocol.messages import (
    DriveWheels,
    GetManufacturingInfo,
    MotorCalibration,
    RobotState,
    SetHeadAngle,
    SetLiftHeight,
    SyncTime,
)

from .recording import Recording, Row, after, bench_of


def standing(phase: int) -> Iterator[Row]:
    """Five seconds at rest."""
    robot = Recording("A", phase)
    yield from _standing(robot, "A", (-3279, 1139, 9739), (11, 12, 9), (0.4, 0.9, 0.9), 0.107, 873)
    robot = Recording("B", phase)
    # As it was recorded: after moves of the head, and of the lift, which shook the head.
    for angle in (0.300, -0.300):
        robot.states(2.0, SetHeadAngle(angle, 15.0, 20.0, 0.0, 1))
    for height in (50.0, 32.0):
        robot.states(2.0, SetLiftHeight(height, 15.0, 20.0, 0.0, 1))
    yield from _standing(robot, "B", (-2391, -761, 9502), (11, 7, 7), (0.9, 0.3, 0.5), 0.0405, 889)


def _standing(
    robot: Recording,
    who: str,
    accel: tuple[float, ...],
    accel_noise: tuple[float, ...],
    gyro_noise: tuple[float, ...],
    pitch: float,
    cliff: float,
) -> Iterator[Row]:
    states = [s for _, s in robot.states(5.0)]
    for i, axis in enumerate("xyz"):
        values = [s.accel[i] for s in states]
        yield Row(f"acceleration, {axis}", who, accel[i], fmean(values), 15, "mm/s2")
        sd = stdev(values)
        yield Row(f"acceleration, {axis}, its sd", who, accel_noise[i], sd, 2, "mm/s2")
        sd = stdev(s.gyro[i] for s in states) * 1e3
        yield Row(f"gyro, {axis}, its sd", who, gyro_noise[i], sd, 0.15, "1e-3 rad/s")
    pitches = [s.pose.pitch for s in states]
    yield Row("pitch", who, pitch, fmean(pitches), 0.002, "rad")
    yield Row("pitch, its sd", who, 3e-4, stdev(pitches), 1.5e-4, "rad")
    level = fmean(math.atan2(s.accel.x, s.accel.z) - s.head_angle for s in states)
    yield Row("pitch less atan2(ax, az) - head", who, 0, fmean(pitches) - level, 0.0005, "rad")
    yaw = fmean(abs(b.pose.angle - a.pose.angle) for a, b in pairwise(states))
    yield Row("steps of the yaw", who, 3e-5, yaw, 2e-5, "rad")
    raw = [s.cliff_data_raw[0] for s in states]
    yield Row("cliff", who, cliff, fmean(raw), 1.5)
    yield Row("cliff: values", who, 2, len(set(raw)), 1)
    grid = {b.timestamp - a.timestamp for a, b in pairwise(states)}
    yield Row("states: largest distance", who, 30, max(grid), 0, "ms")


def calibration(phase: int) -> Iterator[Row]:
    """From SyncTime to the first states."""
    for who, head_rests_at in (("A", -0.432), ("B", -0.427)):
        bench = bench_of(who, phase)
        bench.connect()
        bench.run(0.005 * phase)
        begin = bench.time
        bench.send(GetManufacturingInfo(), SyncTime())
        bench.run(3.0)
        first = after(bench, begin, RobotState) / 1e3
        ends = {
            m.motor_id: t - begin
            for t, m in bench.received
            if isinstance(m, MotorCalibration) and not m.calib_started
        }
        head, lift = ends[MotorID.HEAD], ends[MotorID.LIFT]
        yield Row("calibration: head after lift", who, 0.4 * (who == "A"), head - lift, 0.09, "s")
        yield Row("calibration: its end to the first state", who, 0, first - head, 0.001, "s")
        states = bench.got(RobotState)
        angles = [s.head_angle for s in states]
        yield Row("calibration: head in the first state", who, -0.436, angles[0], 0.001, "rad")
        yield Row("calibration: head from then on", who, head_rests_at, angles[1], 0.001, "rad")
        if who == "B":
            yield Row("calibration: its end after SyncTime", who, 1.17, head, 0.017, "s")
            for status, count in ((0x211, 4), (0x311, 6), (0x310, len(states) - 10)):
                got = sum(s.status == status for s in states)
                name = "the rest" if status == 0x310 else f"{count}"
                what = f"calibration: states with {status:#x}, of {name}"
                yield Row(what, who, 0, got - count, 1)


def battery(phase: int) -> Iterator[Row]:
    """Five seconds at rest and driving, and on the charger."""
    robot = Recording("B", phase, battery_voltage=4.024)
    rest = [s.battery_voltage for _, s in robot.states(5.0)]
    yield Row("battery at rest: median", "B", 4.024, median(rest), 0.008, "V")
    yield Row("battery at rest: largest", "B", 4.024, max(rest), 0.008, "V")
    yield Row("battery at rest: least", "B", 3.996, min(rest), 0.016, "V")
    driving = [s.battery_voltage for _, s in robot.states(5.0, DriveWheels(30.0, 30.0))]
    sag = median(driving) - median(rest)
    yield Row("battery: what driving makes of it", "B", -0.016, sag, 0.004, "V")
    yield Row("battery, driving: least", "B", 3.980, min(driving), 0.016, "V")
    for who, volts, usual, least, status in (
        ("A", 4.0, (4.672, 4.684), 4.628, 0x3310),
        ("B", FULL, (4.684, 4.728), 4.600, 0x1310),
    ):
        robot = Recording(who, phase, battery_voltage=volts, on_charger=True)
        states = [s for _, s in robot.states(5.0)]
        values = sorted(s.battery_voltage for s in states)
        low, high = values[len(values) // 10], values[-1]
        yield Row("on the charger: lowest usual", who, usual[0], low, 0.004, "V")
        yield Row("on the charger: largest", who, usual[1], high, 0.004, "V")
        yield Row("on the charger: least", who, least, values[0], 0.016, "V")
        other = sum(s.status != status for s in states)
        yield Row(f"on the charger: states without {status:#x}", who, 0, other, 0)
        if who == "B":
            tilt = fmean(s.pose.pitch for s in states) - 0.0405
            yield Row(
                "on the charger: pitch less that of the table", who, -0.084, tilt, 0.002, "rad"
            )

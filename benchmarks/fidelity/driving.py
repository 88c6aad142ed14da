"""What the sensors feel while a robot drives, from the states of a drive: real or emulated."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cozmo_driver.protocol.messages import DriveWheels, RobotState, SetHeadAngle

from .. import SHARED
from .recording import PERIOD, Recording, Row

RECORDING = SHARED / "captures" / "drive_20260924.csv"
"""One of the two drives that were recorded."""
_STARTING, _STEADY = 3, 18.0
"""States that belong to a start; mm/s from which a robot drives steadily."""
_FELT_UNTIL = 0.004
"""rad/s that no gyro shows at rest."""
_LINK = 4.2

Floats = np.ndarray


@dataclass(frozen=True, slots=True)
class Drive:
    """A drive forward, a rest, a drive back and a rest; n states, 30 ms apart."""

    x: Floats
    """mm."""
    yaw: Floats
    pitch: Floats
    """rad."""
    imu: Floats
    """n x 6: acceleration, mm/s^2, and turn rates, rad/s, less those at rest."""
    felt: Floats
    """Acceleration ahead of the body, mm/s^2, less that at rest."""
    resting: slice
    legs: tuple[slice, slice]
    """From the first state with motion to the last; forward, backward."""

    @property
    def steady(self) -> list[slice]:
        """The states of each leg in which it drives steadily."""
        return [slice(leg.start + _STARTING, self._slows(leg)) for leg in self.legs]

    def _slows(self, leg: slice) -> int:
        speeds = np.abs(np.diff(self.x)) / PERIOD
        return next(i for i in range(leg.stop, leg.start, -1) if speeds[i - 1] > _STEADY)


def drive_of(rows: Sequence[Sequence[float]]) -> Drive:
    """Return a drive of states: x, yaw, pitch, head angle, accelerations, turn rates."""
    table = np.array(rows)
    moves = np.abs(np.diff(table[:, 0], prepend=table[0, 0])) > 0.1
    turns = np.flatnonzero(np.diff(np.flatnonzero(moves)) > 5)[0]
    moving = np.flatnonzero(moves)
    legs = slice(moving[0], moving[turns] + 1), slice(moving[turns + 1], moving[-1] + 1)
    resting = slice(legs[0].stop + 9, legs[1].start - 2)
    imu = table[:, 4:] - table[resting, 4:].mean(axis=0)
    felt = imu[:, 0] * np.cos(table[:, 3]) - imu[:, 2] * np.sin(table[:, 3])
    return Drive(table[:, 0], table[:, 1], table[:, 2], imu, felt, resting, legs)


def recorded() -> Drive | None:
    """Return the recorded drive, where it is there."""
    if not RECORDING.exists():
        return None
    lines = [line for line in RECORDING.read_text().splitlines() if line[:1].isdigit()]
    table = [list(map(float, row[1:17])) for row in csv.reader(lines)]
    return drive_of([(r[0], r[2], r[3], r[6], *r[9:15]) for r in table])


def emulated(seed: int) -> Drive:
    """Return what an emulated robot does when it is told what the recorded one was."""
    robot = Recording("B", seed)
    for angle in (0.300, -0.300):
        robot.states(2.0, SetHeadAngle(angle, 15.0, 20.0, 0.0, 1))
    states: list[RobotState] = []
    for speed, seconds in ((30.0, 1.0), (0.0, 0.9), (-30.0, 1.0), (0.0, 0.9)):
        command = DriveWheels(speed, speed, 0.0, 0.0)
        states += [state for _, state in robot.states(seconds, command)]
    return drive_of(
        [(s.pose.x, s.pose.angle, s.pose.pitch, s.head_angle, *s.accel, *s.gyro) for s in states]
    )


def driving(phase: int) -> Iterator[Row]:
    """DriveWheels 30/30 and -30/-30: shaking, starts, stops, yaw and pitch."""
    yield from rows(emulated(phase))


def rows(drive: Drive) -> Iterator[Row]:
    """Return a drive's figures beside the real ones of both recorded drives (spec 18).

    Tolerances are what single legs of them differ by, or their shares of as many seeds.
    """
    yield from _shaking(drive)
    yield from _spectrum(drive)
    yield from _starts_and_stops(drive)
    yield from _attitude(drive)


def _spread(values: Floats, legs: Sequence[slice]) -> float:
    return math.sqrt(np.mean([values[leg].var(ddof=1) for leg in legs]))


def _shaking(drive: Drive) -> Iterator[Row]:
    legs, unit = drive.steady, "mm/s2"
    for i, (axis, real, tolerance) in enumerate((("x", 299, 50), ("y", 232, 40), ("z", 88, 20))):
        got = _spread(drive.imu[:, i], legs)
        yield Row(f"driving: acceleration, {axis}, its sd", "B", real, got, tolerance, unit)
    felt = _spread(drive.felt, legs)
    yield Row("driving: acceleration ahead, its sd", "B", 283, felt, 45, unit)
    rest = drive.felt[drive.resting].std(ddof=1)
    yield Row("driving: acceleration ahead, its sd to that at rest", "B", 25, felt / rest, 14)
    names = ("gyro, x", 42, 6), ("gyro, y", 32, 4), ("gyro, z", 33, 5)
    for i, (axis, real, tolerance) in enumerate(names):
        got = _spread(drive.imu[:, 3 + i], legs) * 1e3
        yield Row(f"driving: {axis}, its sd", "B", real, got, tolerance, "1e-3 rad/s")
    for leg, name, real in zip(legs, ("forward", "backward"), (23, 41), strict=True):
        got = _spread(drive.imu[:, 5], [leg]) * 1e3
        yield Row(f"driving {name}: gyro, z, its sd", "B", real, got, 6, "1e-3 rad/s")


def _spectrum(drive: Drive) -> Iterator[Row]:
    legs = drive.steady
    for lag, real in ((1, -0.17), (2, -0.04), (3, -0.15)):
        got = float(np.mean([_correlation(drive.felt[leg], lag) for leg in legs]))
        yield Row(f"driving: acceleration ahead against {lag} states later", "B", real, got, 0.2)
    steps = np.abs(np.concatenate([np.diff(drive.felt[leg]) for leg in legs]))
    change = float(np.median(steps))
    yield Row("driving: acceleration ahead, median change", "B", 300, change, 80, "mm/s2")
    shares = ("x", _LINK, 0.65), ("z", _LINK, 0.34), ("y", _LINK, 0.24), ("y", _LINK / 2, 0.28)
    for axis, length, real in shares:
        rate = drive.imu[:, 3 + "xyz".index(axis)]
        got = float(np.mean([share_of_wave(drive.x[leg], rate[leg], length) for leg in legs]))
        what = f"driving: gyro, {axis}, share of a wave of {length:g} mm"
        yield Row(what, "B", real, got, 0.15)


def _correlation(values: Floats, lag: int) -> float:
    values = values - values.mean()
    return float(values[:-lag] @ values[lag:] / (values @ values))


def share_of_wave(way: Floats, values: Floats, length: float) -> float:
    """Return the share of the variance that is one wave for each ``length`` of way, mm."""
    angle = math.tau * way / length
    waves = np.column_stack([np.ones_like(way), np.cos(angle), np.sin(angle)])
    rest = values - waves @ np.linalg.lstsq(waves, values, rcond=None)[0]
    return float(1.0 - rest.var() / values.var())


def _starts_and_stops(drive: Drive) -> Iterator[Row]:
    # Of the four recorded ones two were felt, with 770 and 1124, and two hardly, with 346 and 195.
    felt = [float(np.abs(drive.felt[leg.start : leg.start + 2]).max()) for leg in drive.legs]
    yield Row("start: largest acceleration", "B", 609, float(np.mean(felt)), 350, "mm/s2")
    for leg, name, reals in zip(
        drive.legs, ("forward", "backward"), ((-995, 1650), (-515, 1295)), strict=True
    ):
        stop = drive.felt[leg.stop - 2 : leg.stop + 8]
        for extreme, real in zip((stop.min(), stop.max()), reals, strict=True):
            side = "ahead" if real > 0 else "back"
            what = f"stop {name}: largest acceleration {side}"
            yield Row(what, "B", real, float(extreme), 400, "mm/s2")
    ends = [drive.imu[leg.stop : leg.stop + 15, 3:] for leg in drive.legs]
    decays = [_decay(np.abs(end).max(axis=1)) for end in ends]
    yield Row("stop: states until its shaking has decayed", "B", 7, float(np.mean(decays)), 3)


def _decay(rates: Floats) -> int:
    return int(np.flatnonzero(rates > _FELT_UNTIL)[-1]) + 1


def _attitude(drive: Drive) -> Iterator[Row]:
    pitch = _spread(drive.pitch, drive.steady)
    yield Row("driving: pitch, its sd", "B", 0.0009, pitch, 0.0003, "rad")
    lines = []
    for leg in drive.steady:
        yaw, time = drive.yaw[leg], np.arange(leg.stop - leg.start)
        lines.append(yaw - np.polyval(np.polyfit(time, yaw, 1), time))
    wobble = float(np.concatenate(lines).std())
    yield Row("driving: yaw about its line, sd", "B", 0.0013, wobble, 0.0006, "rad")
    turned = [abs(drive.yaw[leg.stop] - drive.yaw[leg.start - 1]) for leg in drive.legs]
    # The recorded robot curved, always to one side; the endless floor of the emulated one is even.
    yield Row("driving: turn in a leg of 1 s", "B", 0.0049, float(np.mean(turned)), 0.005, "rad")

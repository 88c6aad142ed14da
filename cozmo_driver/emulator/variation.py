"""How one robot differs from the next: drawn from its serial number, so that it stays itself.

mm, s and rad. Only the calibrations of cameras, the turn of 182.4 degrees and the scales of the
gyro's axes were measured, on one to five robots; every other spread is an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from ..robot_bounds import MEASURED_BOUNDS, MOUNT_BOUND, check_possible
from .hardware import GYRO_SCALE, Vector

DEFAULT_SERIAL = 0x45A1B2C3
"""An invented one."""

_MOUNT = math.radians(2.0)
"""Of a camera in its head, each way about each axis. An estimate."""
_HEAD_ZERO = math.radians(1.0)
"""Between the head's lower stop and where the robot takes it to be. An estimate."""
_FOCAL, _CENTER = (292.8, 3.3), ((158.7, 113.6), (9.9, 2.6))
"""Mean and standard deviation of the calibrations of five cameras, pixels (spec 14, 19)."""
_FACTORY_ERROR = (1.0, 0.7)
"""Standard deviations of a focal length and of the centre in the robot's own calibration, pixels:
one of four has focal lengths that differ by 1 %, which no sensor's pixels do (spec 14, 19)."""
_WITHIN = 2.0
"""Standard deviations from the mean, beyond which nothing is drawn."""
_GYRO = 0.003
"""Of a gyro's scale, each way. An estimate."""
_GYRO_AXES = (0.999, 0.999, GYRO_SCALE)
"""x and y as in the counts that were recorded (spec 18); for z, whose counts have 0.981, what
they make of a whole turn was measured (spec 14)."""
_GYRO_ZERO, _GYRO_PERIOD = 0.0005, (40.0, 400.0)
"""rad/s that an axis shows at rest, as recorded, and the s in which it comes and goes. The
latter are an estimate."""
_TREADS = 0.01
"""Of a tread's millimetre, each way. An estimate."""
_LIFT_PITCH = 0.002
"""Of the body, each way, while the lift rises by 60 mm: 19 mm changed it by less than 0.0003 rad
(the recording of spec 18). An estimate."""
_LOAD_PITCH = 0.010
"""Of the body that a cube pulls nose down. An estimate."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A pinhole; pixels. The defaults were read from a real robot."""

    fx: float = 294.716
    fy: float = 294.899
    cx: float = 143.163
    cy: float = 117.454


@dataclass(frozen=True, slots=True)
class Optics:
    """A camera as it is built in: its lens, and by how much it looks astray; rad."""

    lens: Lens = Lens()
    down: float = 0.0
    roll: float = 0.0
    """Its right side down."""
    left: float = 0.0


@dataclass(frozen=True, slots=True)
class Variation:
    """What is this robot's own; by default a robot as it was meant to be."""

    optics: Optics = Optics()
    """Of the camera, as they really are."""
    calibration: Lens = Lens()
    """What the robot's storage says of the lens, pixels."""
    head_zero: float = 0.0
    """rad by which the head is higher than the robot reports."""
    gyro_scales: Vector = (1.0, 1.0, 1.0)
    """Rate that each axis reports for a true one; z also of the heading."""
    gyro_zeros: Vector = (0.0, 0.0, 0.0)
    """rad/s that each axis shows at most while the robot rests."""
    gyro_periods: Vector = (100.0, 100.0, 100.0)
    """s in which that comes and goes."""
    tread_scales: tuple[float, float] = (1.0, 1.0)
    """Travel of the left and the right tread for a mm that the robot counts."""
    lift_pitch: float = 0.0
    """rad, nose up, by which a raised lift tilts the body, of the whole travel."""
    load_pitch: float = 0.0
    """rad, nose up, by which a carried cube does."""

    def gyro_zero(self, now: float) -> Vector:
        """Return what each axis shows at rest at a time, rad/s."""
        x, y, z = (
            zero * math.sin(2.0 * math.pi * (now / period + zero / _GYRO_ZERO))
            for zero, period in zip(self.gyro_zeros, self.gyro_periods, strict=True)
        )
        return x, y, z


def variation_of(serial: int) -> Variation:
    """Return what is the own of the robot whose head has a serial number."""
    random = Random(f"{serial:08x} variation")

    def either_way(most: float) -> float:
        return random.uniform(-most, most)

    def near(mean: float, spread: float) -> float:
        return mean + spread * max(-_WITHIN, min(_WITHIN, random.gauss(0.0, 1.0)))

    def period() -> float:
        return random.uniform(*_GYRO_PERIOD)

    down, roll, left = (either_way(_MOUNT) for _ in range(3))
    focal = near(*_FOCAL)
    (cx, cy), (cx_spread, cy_spread) = _CENTER
    calibration = Lens(
        near(focal, _FACTORY_ERROR[0]),
        near(focal, _FACTORY_ERROR[0]),
        near(cx, cx_spread),
        near(cy, cy_spread),
    )
    if serial == DEFAULT_SERIAL:
        # That calibration was read from a real robot.
        calibration = Lens()
        focal = (calibration.fx + calibration.fy) / 2
    lens = Lens(
        focal,
        focal,
        near(calibration.cx, _FACTORY_ERROR[1]),
        near(calibration.cy, _FACTORY_ERROR[1]),
    )
    x, y, z = (scale * (1.0 + either_way(_GYRO)) for scale in _GYRO_AXES)
    return Variation(
        optics=Optics(lens, down, roll, left),
        calibration=calibration,
        head_zero=either_way(_HEAD_ZERO),
        gyro_scales=(x, y, z),
        gyro_zeros=(either_way(_GYRO_ZERO), either_way(_GYRO_ZERO), either_way(_GYRO_ZERO)),
        gyro_periods=(period(), period(), period()),
        tread_scales=(1.0 + either_way(_TREADS), 1.0 + either_way(_TREADS)),
        lift_pitch=either_way(_LIFT_PITCH),
        load_pitch=random.uniform(-_LOAD_PITCH, 0.0),
    )


def ideal_of(serial: int) -> Variation:
    """Return a robot as it was meant to be, whose lens is what its storage says of it.

    That is what the real one says, too: who keeps it by serial number is right with both.
    """
    calibration = variation_of(serial).calibration
    return Variation(Optics(calibration), calibration)


_ANGLE = (-MOUNT_BOUND, MOUNT_BOUND)
_POSSIBLE = {**MEASURED_BOUNDS, "pitch": _ANGLE, "roll": _ANGLE, "yaw": _ANGLE}


def variation_like(measured: Mapping[str, float], calibration: Lens) -> Variation:
    """Return a robot that errs as one that was measured, by the names of ``cozmo calibrate``.

    ``calibration`` is what its storage says. What was not measured is as it was meant to be. Raises
    ``ValueError`` for what no robot has.
    """
    for name, bounds in _POSSIBLE.items():
        if name in measured:
            check_possible(name, measured[name], bounds)
    zero = measured.get("head_zero", 0.0)
    lens = Lens(*(measured.get(name, getattr(calibration, name)) for name in Lens.__slots__))
    distance = measured.get("distance_scale", 1.0)
    difference = measured.get("tread_difference", 0.0) / 2
    x, y, _ = _GYRO_AXES
    return Variation(
        # The camera is mounted in the head: its pitch was measured with the head's zero in it.
        Optics(
            lens,
            down=zero - measured.get("pitch", zero),
            roll=measured.get("roll", 0.0),
            left=measured.get("yaw", 0.0),
        ),
        calibration,
        head_zero=zero,
        gyro_scales=(x, y, 1.0 / measured.get("turn_scale", 1.0)),
        tread_scales=(distance * (1.0 - difference), distance * (1.0 + difference)),
    )

"""Angles, lengths and speeds with their units (``cozmo.util``; spec 21 §7)."""

from __future__ import annotations

import math
from typing import Any, TypeVar

_MM_PER_INCH = 25.4


class _Quantity:
    """A number with a unit: sums with its like, products with numbers."""

    __slots__ = ("_value",)
    _value: float

    @classmethod
    def _of(cls: type[_Same], value: float) -> _Same:
        made = cls.__new__(cls)
        made._value = value
        return made

    def _other(self, other: Any, what: str) -> float:
        if not isinstance(other, type(self)) and not isinstance(self, type(other)):
            name = type(self).__name__
            raise TypeError(f"{what} works between {name} and {name}, not {type(other).__name__}")
        assert isinstance(other, _Quantity)
        return other._value

    def __add__(self: _Same, other: Any) -> _Same:
        return self._of(self._value + self._other(other, "+"))

    def __sub__(self: _Same, other: Any) -> _Same:
        return self._of(self._value - self._other(other, "-"))

    def __mul__(self: _Same, factor: Any) -> _Same:
        return self._of(self._value * _number(factor, self))

    __rmul__ = __mul__

    def __truediv__(self: _Same, divisor: Any) -> _Same:
        return self._of(self._value / _number(divisor, self))

    def __neg__(self: _Same) -> _Same:
        return self._of(-self._value)


_Same = TypeVar("_Same", bound=_Quantity)


def _number(value: Any, of: _Quantity) -> float:
    try:
        if isinstance(value, _Quantity):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{type(of).__name__} can only be multiplied by a number") from None


class Angle(_Quantity):
    """Given as ``radians=`` or ``degrees=``; both, unless both are 0, raise ``ValueError``."""

    __slots__ = ()

    def __init__(self, radians: float | None = None, degrees: float | None = None) -> None:
        if radians is None and degrees is None:
            raise ValueError("an angle needs radians or degrees")
        if radians and degrees:
            raise ValueError("an angle takes radians or degrees, not both")
        self._value = float(radians) if radians else math.radians(float(degrees or 0.0))

    @property
    def radians(self) -> float:
        return self._value

    @property
    def degrees(self) -> float:
        return math.degrees(self._value)

    @property
    def abs_value(self) -> Angle:
        return Angle(radians=abs(self._value))

    def __abs__(self) -> Angle:
        return self.abs_value

    def __eq__(self, other: object) -> bool:
        return self._value == self._other(other, "==")

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._value)

    def __lt__(self, other: Any) -> bool:
        return self._value < self._other(other, "<")

    def __le__(self, other: Any) -> bool:
        return self._value <= self._other(other, "<=")

    def __gt__(self, other: Any) -> bool:
        return self._value > self._other(other, ">")

    def __ge__(self, other: Any) -> bool:
        return self._value >= self._other(other, ">=")

    def __repr__(self) -> str:
        return f"<Angle {self.radians:.2f} radians ({self.degrees:.2f} degrees)>"


class Distance(_Quantity):
    """Given as ``distance_mm=`` or ``distance_inches=``."""

    __slots__ = ()

    def __init__(
        self, distance_mm: float | None = None, distance_inches: float | None = None
    ) -> None:
        if distance_mm is None and distance_inches is None:
            raise ValueError("a distance needs distance_mm or distance_inches")
        if distance_mm and distance_inches:
            raise ValueError("a distance takes distance_mm or distance_inches, not both")
        self._value = float(distance_mm) if distance_mm else float(distance_inches or 0) * 25.4

    @property
    def distance_mm(self) -> float:
        return self._value

    @property
    def distance_inches(self) -> float:
        return self._value / _MM_PER_INCH

    def __repr__(self) -> str:
        return f"<Distance {self.distance_mm:.2f} mm ({self.distance_inches:.2f} inches)>"


class Speed(_Quantity):
    """Given as ``speed_mmps=``."""

    __slots__ = ()

    def __init__(self, speed_mmps: float | None = None) -> None:
        if speed_mmps is None:
            raise ValueError("a speed needs speed_mmps")
        self._value = float(speed_mmps)

    @property
    def speed_mmps(self) -> float:
        return self._value

    def __repr__(self) -> str:
        return f"<Speed {self.speed_mmps:.2f} mmps>"


def degrees(degrees: float) -> Angle:
    return Angle(degrees=degrees)


def radians(radians: float) -> Angle:
    return Angle(radians=radians)


def distance_mm(distance_mm: float) -> Distance:
    return Distance(distance_mm=distance_mm)


def distance_inches(distance_inches: float) -> Distance:
    return Distance(distance_inches=distance_inches)


def speed_mmps(speed_mmps: float) -> Speed:
    return Speed(speed_mmps=speed_mmps)


def as_angle(value: Any, name: str) -> float:
    """Return the rad of an ``Angle``. Raises ``TypeError``."""
    if not isinstance(value, Angle):
        raise TypeError(f"{name} is a cozmo.util.Angle, as degrees(90), not {value!r}")
    return value.radians


def as_distance(value: Any, name: str) -> float:
    """Return the mm of a ``Distance``. Raises ``TypeError``."""
    if not isinstance(value, Distance):
        raise TypeError(f"{name} is a cozmo.util.Distance, as distance_mm(100), not {value!r}")
    return value.distance_mm


def as_speed(value: Any, name: str) -> float:
    """Return the mm/s of a ``Speed``. Raises ``TypeError``."""
    if not isinstance(value, Speed):
        raise TypeError(f"{name} is a cozmo.util.Speed, as speed_mmps(50), not {value!r}")
    return value.speed_mmps

"""What was measured of one robot, kept by its serial number."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..robot_bounds import MEASURED_BOUNDS
from ..whole_files import DAMAGED, read_document, write_document

_log = logging.getLogger(__name__)

_FORMAT = "cozmo_driver robot calibration"
_MOST_BYTES = 16384


@dataclass(frozen=True, slots=True)
class Measurement:
    value: float
    deviation: float
    """Standard deviation."""
    source: str
    """What measured it, and on which day, for people."""

    def is_possible(self, name: str) -> bool:
        """Whether it can be a measurement of that name."""
        try:
            _check(name, self)
        except ValueError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class RobotCalibration:
    """Measurements by their names in ``MEASURED_BOUNDS``; others are as they should be."""

    measured: Mapping[str, Measurement] = field(default_factory=dict)

    def value(self, name: str, default: float) -> float:
        one = self.measured.get(name)
        return default if one is None else one.value

    @property
    def distance_scale(self) -> float:
        return self.value("distance_scale", 1.0)

    @property
    def turn_scale(self) -> float:
        return self.value("turn_scale", 1.0)

    def text(self, name: str) -> str:
        """Return for people what is known of one, and where it is from."""
        one = self.measured.get(name)
        return "not measured" if one is None else f"{one.value:.5g} ({one.source})"

    def texts(self) -> dict[str, str]:
        """Return for people what is known of everything: "turn scale": "1.0130 (learnt ...)"."""
        return {name.replace("_", " "): self.text(name) for name in MEASURED_BOUNDS}

    def with_values(self, measured: Mapping[str, Measurement]) -> RobotCalibration:
        """Return it with some values replaced. Raises ``ValueError`` for impossible ones."""
        for name, one in measured.items():
            _check(name, one)
        return RobotCalibration({**self.measured, **measured})


def calibration_path(directory: Path, serial: int) -> Path:
    return directory / f"robot_calibration-{serial:08x}.json"


def load_robot_calibration(directory: Path, serial: int) -> RobotCalibration:
    """Return what was measured of a robot; nothing for no file, or one that makes no sense."""
    path = calibration_path(directory, serial)
    try:
        document = read_document(path, _FORMAT, serial, _MOST_BYTES)
        measured = {
            str(name): Measurement(
                float(one["value"]), float(one["deviation"]), str(one["source"])[:80]
            )
            for name, one in document["measured"].items()
        }
        return RobotCalibration().with_values(measured)
    except FileNotFoundError:
        pass
    except DAMAGED as error:
        _log.warning("the calibration in %s is not used: %s", path, error)
    return RobotCalibration()


def save_robot_calibration(directory: Path, serial: int, calibration: RobotCalibration) -> None:
    """Write the file in one step. Raises ``OSError``."""
    measured = {
        name: {"value": one.value, "deviation": one.deviation, "source": one.source}
        for name, one in sorted(calibration.measured.items())
    }
    path = calibration_path(directory, serial)
    write_document(path, _FORMAT, serial, {"measured": measured})


def _check(name: str, one: Measurement) -> None:
    least, most = MEASURED_BOUNDS.get(name, (1.0, 0.0))
    if not least <= one.value <= most:
        raise ValueError(f"{name} is impossible: {one.value}")
    if not 0.0 <= one.deviation <= most - least:
        raise ValueError(f"the deviation of {name} is impossible: {one.deviation}")

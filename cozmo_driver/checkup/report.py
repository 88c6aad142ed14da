"""The report of a checkup as data: anonymous, versioned, in SI units; written and read back."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from .. import __version__
from ..installation import home
from ..robot import Identity, Robot
from ..whole_files import read_whole, write_whole
from .checkup import Checkup, Outcome
from .expectations import Deviation, Expectation
from .step import Picture, Quantity, Series, Verdict

FORMAT, SCHEMA = "cozmo_driver checkup", 1
REPORT_FILE = "report.json"
_MOST_BYTES = 8 << 20
_LARGEST = 1e12
"""Of a number: with larger ones nobody can reckon and draw, and no robot has them."""
_HIDDEN = "(hidden)"
_LEAST_SERIAL = 0x1000
"""Smaller numbers name nothing, and stand in many texts."""
_SALT_FILE = "checkup_salt"
_SALT_BYTES = 32


class ReportError(ValueError):
    """A file that is no report, or a damaged one; the text says why."""


@dataclass(frozen=True, slots=True)
class ReportedStep:
    name: str
    title: str
    verdict: Verdict
    sentence: str
    advice: str = ""
    duration: float = 0.0
    attempts: int = 0
    values: Mapping[str, Quantity] = field(default_factory=dict)
    deviations: tuple[Deviation, ...] = ()
    series: tuple[Series, ...] = ()
    pictures: Mapping[str, str] = field(default_factory=dict)
    """Captions by names of files beside the report, which may be missing."""


@dataclass(frozen=True, slots=True)
class Report:
    """``robot`` tells two robots of one person apart and says nothing else."""

    robot: str
    date: str
    driver: str
    robot_time: float
    ended: str
    steps: tuple[ReportedStep, ...]

    def step(self, name: str) -> ReportedStep | None:
        return next((step for step in self.steps if step.name == name), None)

    def figures(self) -> dict[str, float]:
        """Return what passed and unusual steps measured, by STEP.NAME."""
        return {
            f"{step.name}.{name}": float(one.value)
            for step in self.steps
            if step.verdict in (Verdict.PASSED, Verdict.UNUSUAL)
            for name, one in step.values.items()
            if not isinstance(one.value, str) and math.isfinite(one.value)
        }

    def count(self, verdict: Verdict) -> int:
        return sum(step.verdict is verdict for step in self.steps)


# -- made of a checkup


def report_of(checkup: Checkup, robot: Robot, salt: bytes) -> Report:
    """Return what came of a checkup, without serial numbers and addresses."""
    hide, one = _hider(checkup.identity, robot), checkup.identity
    identity = f"{one.head_serial:08x}{one.body_serial:08x}".encode()
    return Report(
        robot=hashlib.sha256(salt + identity).hexdigest()[:12],
        date=date.today().isoformat(),
        driver=__version__,
        robot_time=checkup.robot_time,
        ended=hide(checkup.ended),
        steps=tuple(_reported(outcome, hide) for outcome in checkup.outcomes.values()),
    )


def load_salt(directory: Path) -> bytes:
    """Return this computer's secret, made at the first call: no robot is found by trying all.

    Where it cannot be kept, it is another one each time.
    """
    path = directory / _SALT_FILE
    with contextlib.suppress(OSError):
        salt = read_whole(path, _SALT_BYTES)
        if len(salt) == _SALT_BYTES:
            return salt
    salt = secrets.token_bytes(_SALT_BYTES)
    with contextlib.suppress(OSError):
        write_whole(path, salt)
    return salt


def picture_file(step: str, picture: Picture) -> str:
    return f"images/{step}_{picture.name}.jpg"


def _reported(outcome: Outcome, hide: Any) -> ReportedStep:
    result = outcome.result
    return ReportedStep(
        name=outcome.step.name,
        title=outcome.step.title,
        verdict=result.verdict,
        sentence=hide(result.sentence),
        advice=hide(result.advice),
        duration=outcome.duration,
        attempts=outcome.attempts,
        values={
            name: Quantity(hide(value) if isinstance(value, str) else value, unit)
            for name, (value, unit) in result.values.items()
        },
        deviations=outcome.deviations,
        series=result.series,
        pictures={picture_file(outcome.step.name, one): one.caption for one in result.pictures},
    )


def _hider(one: Identity, robot: Robot) -> Any:
    """Return what takes everything that names a robot, a cube or a computer out of a text."""
    numbers = [one.head_serial, one.body_serial, one.wifi_flash_id]
    numbers += [cube.factory_id for cube in robot.cubes.all]
    told = [
        re.escape(word)
        for number in numbers
        if number >= _LEAST_SERIAL
        for word in (f"{number:08x}", f"{number:x}", str(number))
    ]
    # An adapter's name may be a part of a word.
    names = {robot.options.address, one.address, robot.options.network_interface, str(home())}
    told += [rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names - {""})]
    pattern = re.compile("|".join(told), re.IGNORECASE)
    return lambda text: pattern.sub(_HIDDEN, text)


# -- as JSON


def to_json(report: Report) -> str:
    """Return the file's text; what is not finite is null."""
    document = {
        "format": FORMAT,
        "schema": SCHEMA,
        "robot": report.robot,
        "date": report.date,
        "driver": report.driver,
        "robot_time": round(report.robot_time, 3),
        "ended": report.ended,
        "steps": [_step_json(step) for step in report.steps],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _step_json(step: ReportedStep) -> dict[str, Any]:
    return {
        "name": step.name,
        "title": step.title,
        "verdict": step.verdict.value,
        "sentence": step.sentence,
        "advice": step.advice,
        "duration": round(step.duration, 3),
        "attempts": step.attempts,
        "values": {
            name: {"value": _number(value), "unit": unit}
            for name, (value, unit) in step.values.items()
        },
        "deviations": [
            {"name": one.name, "value": one.value, "unit": one.unit, **asdict(one.expected)}
            for one in step.deviations
        ],
        "series": [
            {
                "title": one.title,
                "x": one.x,
                "y": one.y,
                "points": {
                    name: [[round(x, 6), round(y, 6)] for x, y in points if math.isfinite(y)]
                    for name, points in one.points.items()
                },
            }
            for one in step.series
        ],
        "pictures": dict(step.pictures),
    }


def _number(value: float | str) -> float | str | None:
    if isinstance(value, str | int):
        return value
    value = float(value)
    return float(f"{value:.9g}") if math.isfinite(value) else None


# -- read back


def load_report(path: Path) -> Report:
    """Read a report, or the one in a folder. Raises ``ReportError``, which says what is wrong."""
    path = path / REPORT_FILE if path.is_dir() else path
    try:
        document = json.loads(read_whole(path, _MOST_BYTES), parse_constant=_refuse)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ReportError("it is no report of cozmo checkup")
        if document.get("schema") != SCHEMA:
            raise ReportError(
                f"it is of schema {document.get('schema')}, this program reads {SCHEMA}"
            )
        return Report(
            robot=_text(document["robot"]),
            date=_text(document["date"]),
            driver=_text(document["driver"]),
            robot_time=_finite(document["robot_time"]),
            ended=_text(document["ended"]),
            steps=tuple(map(_step_of, _list(document["steps"]))),
        )
    except ReportError as error:
        raise ReportError(f"{path}: {error}") from None
    except KeyError as error:
        raise ReportError(f"{path}: the report is damaged: {error.args[0]} is missing") from None
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror or error}") from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ReportError(f"{path}: the report is damaged: {error}") from None


def _step_of(one: Any) -> ReportedStep:
    return ReportedStep(
        name=_text(one["name"]),
        title=_text(one["title"]),
        verdict=Verdict(one["verdict"]),
        sentence=_text(one["sentence"]),
        advice=_text(one["advice"]),
        duration=_finite(one["duration"]),
        attempts=int(_finite(one["attempts"])),
        values={
            _text(name): Quantity(_value(given["value"]), _text(given["unit"]))
            for name, given in one["values"].items()
        },
        deviations=tuple(
            Deviation(
                _text(given["name"]),
                _finite(given["value"]),
                _text(given["unit"]),
                Expectation(
                    _finite(given["low"]),
                    _finite(given["high"]),
                    _finite(given["tolerance"]),
                    _text(given["source"]),
                ),
            )
            for given in _list(one["deviations"])
        ),
        series=tuple(
            Series(
                _text(given["title"]),
                _text(given["x"]),
                _text(given["y"]),
                {_text(name): _points(points) for name, points in given["points"].items()},
            )
            for given in _list(one["series"])
        ),
        pictures={_text(name): _text(text) for name, text in one["pictures"].items()},
    )


def _points(given: Iterable[Any]) -> list[tuple[float, float]]:
    return [(_finite(x), _finite(y)) for x, y in given]


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ReportError("the report is damaged: a list is missing")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ReportError(f"the report is damaged: {value!r:.40} is no text")
    return value


def _finite(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # Not by math.isfinite, which a whole number beyond every float makes overflow.
    if not is_number or not abs(value) <= _LARGEST:
        raise ReportError(f"the report is damaged: {value!r:.40} is no number, or too large")
    return float(value)


def _value(value: Any) -> float | str:
    if value is None:
        return math.nan
    if isinstance(value, str):
        return value
    number = _finite(value)
    # What was counted stays a whole number.
    return value if isinstance(value, int) else number


def _refuse(name: str) -> Any:
    raise ReportError(f"the report is damaged: {name} is no number of JSON")

"""``python -m docs.assumptions``: write docs/assumptions.md from its table and the constants."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sized
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from cozmo_driver.ros.parameter_set import ParameterSpec

PAGE = Path(__file__).parent / "assumptions.md"
TABLE = Path(__file__).parent / "assumptions.yaml"
FIELDS = {"constant", "unit", "does", "stands_on", "if_wrong", "confirmed_by"}
KINDS = (
    "guess",
    "emulator only",
    "one recording",
    "one robot",
    "other people's robots",
    "older firmware",
    "app",
)
"""What a row may stand on; what follows a comma is where it is from."""
STEPS = (
    "network",
    "identity",
    "battery",
    "sensors",
    "storage",
    "camera_calibration",
    "animation",
    "display",
    "sound",
    "lights",
    "calibration",
    "head",
    "lift",
    "camera",
    "color",
    "treads",
    "shaking",
    "turns",
    "slope",
    "latency",
    "radio",
    "cube",
    "charger",
    "bump",
    "edge",
    "docking",
)
"""Of ``cozmo checkup``."""
CALIBRATE, NOTHING = "calibrate", "nothing yet"
_DEGREES = math.degrees(1.0)
_FACTORS = {
    "mm": 1e3,
    "mm/s": 1e3,
    "ms": 1e3,
    "%": 1e2,
    "°": _DEGREES,
    "°/s": _DEGREES,
}
"""From SI units, in which constants are, to what is shown; others are shown as they are."""
_CLOSE = ("", "°")
"""Units without a space before them."""
_MOST_NUMBERS = 8
_WHOLE = 1000.0
"""Numbers from which no places behind the point are shown."""

Row = Mapping[str, Any]


def groups() -> Mapping[str, Mapping[str, Any]]:
    """Return the table: by feature, ``about`` it and its ``rows``."""
    return dict(yaml.safe_load(TABLE.read_text(encoding="utf-8"))["groups"])


def introduction() -> str:
    return str(yaml.safe_load(TABLE.read_text(encoding="utf-8"))["introduction"])


def names_of(row: Row) -> list[tuple[str, str]]:
    """Return the modules, below ``cozmo_driver``, and names of a row's constants."""
    module, _, names = row["constant"].partition(":")
    return [(module, name.strip()) for name in names.split(",")]


def value_of(module: str, name: str) -> Any:
    """Return a constant, a parameter's default, or a field's (``Class.field``).

    Raises ``AttributeError``.
    """
    found: Any = import_module(f"cozmo_driver.{module}")
    specs = [one for table in vars(found).values() for one in _specs(table)]
    for spec in specs:
        if spec.name == name:
            return spec.default
    owner, _, field = name.rpartition(".")
    if not owner:
        return getattr(found, name)
    for one in dataclasses.fields(getattr(found, owner)):
        if one.name == field:
            return one.default
    raise AttributeError(f"{owner} has no field {field}")


def _specs(table: Any) -> list[ParameterSpec]:
    is_table = isinstance(table, tuple) and table and isinstance(table[0], ParameterSpec)
    return list(table) if is_table else []


def confirming(row: Row) -> tuple[list[str], str]:
    """Return the steps that confirm a row, and what is said of them."""
    steps, _, note = row["confirmed_by"].partition(":")
    return [step.strip() for step in steps.split(",")], note.strip()


def shown(value: Any, unit: str) -> str:
    """Return a value as it is read, in ``unit``; of tables only how large they are."""
    if isinstance(value, bool | str):
        return str(value).lower()
    numbers = _numbers_of(value)
    if numbers:
        texts = ", ".join(_number(one * _FACTORS.get(unit, 1.0)) for one in numbers)
        return f"{texts}{'' if unit in _CLOSE else ' '}{unit}"
    if isinstance(value, np.ndarray):
        return f"array of {' × '.join(map(str, value.shape))}"
    return f"table of {len(value)}" if isinstance(value, Sized) else ""


def _numbers_of(value: Any) -> list[float]:
    """Return a number or a few; none for anything else."""
    if isinstance(value, int | float):
        return [value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = dataclasses.astuple(value)
        return [one for one in parts if isinstance(one, int | float)]
    if isinstance(value, np.ndarray):
        value = value.tolist()
    is_list = isinstance(value, tuple | list) and len(value) <= _MOST_NUMBERS
    return list(value) if is_list and all(isinstance(x, int | float) for x in value) else []


def _number(value: float) -> str:
    return (f"{value:.0f}" if abs(value) >= _WHOLE else f"{value:.3g}").replace("-", "−")


def page() -> str:
    """Return docs/assumptions.md."""
    parts = [introduction()]
    for feature, group in groups().items():
        parts += [f"## {feature}\n", f"{group['about'].strip()}\n" if "about" in group else ""]
        parts += ["\n".join(_rows(group["rows"])) + "\n"]
    return "\n".join(part for part in parts if part)


def _rows(rows: list[Row]) -> Iterator[str]:
    yield "| constant | does | stands on | if it is wrong | confirmed by |"
    yield "|---|---|---|---|---|"
    for row in rows:
        steps, note = confirming(row)
        words = ", ".join(step if step == NOTHING else f"`{step}`" for step in steps)
        cells = (
            _constants(row),
            row["does"],
            row["stands_on"],
            row["if_wrong"],
            f"{words}: {note}" if note else words,
        )
        yield "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _constants(row: Row) -> str:
    """Return where they are, and each with its value."""
    names = names_of(row)
    unit = row.get("unit", "")
    units = unit if isinstance(unit, list) else [unit] * len(names)
    path = names[0][0].replace(".", "/") + ".py"
    lines = (
        f"`{name}` {shown(value_of(module, name), one).strip()}"
        for (module, name), one in zip(names, units, strict=True)
    )
    return "<br>".join((f"`{path}`", *lines))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

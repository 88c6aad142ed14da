"""How the markers of a robot's cubes were printed, as a calibration found: a file for each head."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path

from ..whole_files import DAMAGED, read_document, write_document
from .world.objects import SIDES, Print, PrintedCube

_log = logging.getLogger(__name__)

_FORMAT = "cozmo_driver cube prints"
_MOST_BYTES = 8192
_DIGITS = 6
"""A micrometre, and a millionth of a size."""
_CUBES = frozenset(f"cube_{number}" for number in (1, 2, 3))
_FIELDS = tuple(field.name for field in fields(Print))


def prints_path(directory: Path, serial: int) -> Path:
    return directory / f"cube_prints-{serial:08x}.json"


def load_prints(directory: Path, serial: int) -> dict[str, PrintedCube]:
    """Return what was found, by the cubes' names; nothing of what makes no sense."""
    path, cubes = prints_path(directory, serial), dict[str, PrintedCube]()
    try:
        found = dict(read_document(path, _FORMAT, serial, _MOST_BYTES)["cubes"])
    except FileNotFoundError:
        return {}
    except DAMAGED as error:
        _log.warning("how cubes are printed, in %s, is not used: %s", path, error)
        return {}
    for name in _CUBES & found.keys():
        try:
            cubes[name] = _cube_of(found[name])
        except DAMAGED as error:
            _log.warning("how %s is printed, in %s, is not used: %s", name, path, error)
    return cubes


def save_prints(directory: Path, serial: int, name: str, cube: PrintedCube) -> None:
    """Write what was found of a cube beside what else is known. Raises ``OSError``.

    Of the same cube that are the sides that were not found.
    """
    cubes = load_prints(directory, serial)
    before = cubes.get(name)
    if before is not None and before.factory_id == cube.factory_id != 0:
        cube = replace(cube, sides={**before.sides, **cube.sides})
    cubes[name] = cube
    content = {name: _document_of(one) for name, one in sorted(cubes.items())}
    write_document(prints_path(directory, serial), _FORMAT, serial, {"cubes": content})


def _document_of(cube: PrintedCube) -> dict[str, object]:
    sides = {
        side: {name: round(value, _DIGITS) for name, value in asdict(one).items()}
        for side, one in cube.sides.items()
    }
    return {"factory_id": cube.factory_id, "sides": sides}


def _cube_of(content: Mapping[str, Mapping[str, Mapping[str, float]]]) -> PrintedCube:
    sides = {
        side: Print(**{name: float(one[name]) for name in _FIELDS})
        for side, one in content["sides"].items()
    }
    for side, one in sides.items():
        if side not in SIDES or not one.is_possible:
            raise ValueError(f"no cube has a side {side!r} with {one}")
    factory_id = content["factory_id"]
    if not isinstance(factory_id, int):
        raise ValueError(f"{factory_id!r} is no serial number")
    return PrintedCube(factory_id, sides)

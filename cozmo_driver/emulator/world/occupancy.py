"""A world as an occupancy grid map, in the file format of the ROS map server."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import yaml
from PIL import Image, ImageDraw

from ...plain_yaml import YamlError, load_yaml
from ...whole_files import read_whole
from .layout import Layout, charger_wall
from .polygons import Point

FREE, OCCUPIED = 254, 0
_MARGIN = 0.05
"""m of map around what stands in the world."""
_FINEST, _COARSEST = 0.002, 0.1
_LARGEST = 4000
"""Cells of a map's side."""
_FINER = 4
"""Points checked along a cell's side: a cell with anything in it is occupied."""
_LARGEST_FILE = 64 * 1024
"""Bytes of a map's ``.yaml``."""


@dataclass(frozen=True, slots=True)
class OccupancyMap:
    """``cells`` are rows from +y to -y of ``FREE`` and ``OCCUPIED``, uint8.

    ``origin`` is the lower left corner, m; ``resolution`` is m per cell.
    """

    cells: npt.NDArray[np.uint8]
    origin: tuple[float, float]
    resolution: float


def occupancy_map(layout: Layout, resolution: float = 0.01) -> OccupancyMap:
    """Return what a robot may not enter: walls, boxes, the charger's wall, where there is no floor.

    Cubes are left out, they move; the charger's plate is, or a robot on it could not leave.
    Raises ``ValueError`` for a map that cannot be made.
    """
    if not _FINEST <= resolution <= _COARSEST:
        raise ValueError(
            f"the resolution is from {_FINEST:g} to {_COARSEST:g} m, not {resolution:g}"
        )
    if not layout.floors:
        raise ValueError(f"the world {layout.name} has no end: give its floor a shape first")
    corners = np.array([corner for floor in layout.floors for corner in floor.corners]) / 1000.0
    low = np.floor((corners.min(axis=0) - _MARGIN) / resolution) * resolution
    size = np.ceil((corners.max(axis=0) + _MARGIN - low) / resolution).astype(int)
    if size.max() > _LARGEST:
        raise ValueError(
            f"the world {layout.name} would be a map of {size[0]} x {size[1]} cells, more than "
            f"{_LARGEST} along a side: take a coarser resolution"
        )
    width, height = (int(cells) * _FINER for cells in size)
    image = Image.new("1", (width, height), 0)
    draw = ImageDraw.Draw(image)

    def paint(polygon: Sequence[Point], is_free: int) -> None:
        points = np.floor((np.array(polygon) / 1000.0 - low) * (_FINER / resolution))
        draw.polygon([(x, height - 1 - y) for x, y in points], fill=is_free)

    for floor in layout.floors:
        paint(floor.corners, 1)
    for hole in layout.holes:
        paint(hole, 0)
    for solid in layout.solids:
        paint(solid.shape.corners, 0)
    if layout.charger is not None:
        paint(charger_wall(layout.charger).shape.corners, 0)
    fine = np.asarray(image, dtype=bool).reshape(size[1], _FINER, size[0], _FINER)
    cells = np.where(fine.all(axis=(1, 3)), FREE, OCCUPIED).astype(np.uint8)
    return OccupancyMap(cells, (round(float(low[0]), 6), round(float(low[1]), 6)), resolution)


def write_map(occupancy: OccupancyMap, file: Path) -> Path:
    """Write ``file`` (``.yaml``) and the picture beside it; return the picture's path.

    Both replace those of an older map, and nothing else. Raises ``OSError``.
    """
    picture = file.with_suffix(".png")
    _check_replaceable(file, picture)
    Image.fromarray(occupancy.cells).save(picture, optimize=True)
    content = {
        "image": picture.name,
        "mode": "trinary",
        "resolution": occupancy.resolution,
        "origin": [*occupancy.origin, 0.0],
        "negate": 0,
        "occupied_thresh": 0.65,
        "free_thresh": 0.196,
    }
    file.write_text(yaml.safe_dump(content, sort_keys=False, default_flow_style=None))
    return picture


def _check_replaceable(file: Path, picture: Path) -> None:
    """Raise ``FileExistsError`` if a file is there that is not of a map."""
    older = None
    if file.exists():
        try:
            content = load_yaml(read_whole(file, _LARGEST_FILE))
        except YamlError:
            content = None
        older = content.get("image") if isinstance(content, dict) else None
        if older is None:
            raise FileExistsError(errno.EEXIST, "it is there and no map: name another file")
    if picture.exists() and older != picture.name:
        text = f"{picture.name} is there and not its picture: name another file"
        raise FileExistsError(errno.EEXIST, text)

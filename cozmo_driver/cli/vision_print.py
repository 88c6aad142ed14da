"""``cozmo vision print``: signs for cubes and the charger, and tags, in their true size."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from ..media import signs
from ..perception import CUBES, TagError, draw_tag, parse_tag
from .common import CommandError, as_command_error, check_suffix

_DOTS = 600
"""Per inch."""
_PAGE = (210.0, 297.0)
_MARGIN, _GAP = 15.0, 14.0
"""mm; a tag needs white around it."""
_CAPTION = 3.0
_SIZES = (10.0, 180.0)
"""mm."""


_Print = tuple[str, npt.NDArray[np.uint8]]
"""Caption and picture."""


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--cube", type=int, choices=CUBES, help="our own signs for a cube")
    add("--side", choices=signs.SIDES, help="only this side of the cube")
    add("--charger", action="store_true", help="our own sign for the charger")
    add("--tag", action="append", default=[], metavar="FAMILY:ID", help="such as 36h11:5, 4x4_50:1")
    add("--size", type=float, metavar="MM", help="width of a sign or tag (default 25)")
    add("--output", type=Path, default=Path("markers.pdf"), metavar="FILE", help="a .pdf or a .png")


def run(arguments: argparse.Namespace) -> int:
    check_suffix(arguments.output, ".pdf", ".png")
    low, high = _SIZES
    if arguments.size is not None and not low <= arguments.size <= high:
        raise CommandError(f"--size {arguments.size:g}: it is from {low:g} to {high:g} mm", 2)
    prints = list(_signs(arguments)) + list(_tags(arguments))
    if not prints:
        raise CommandError("say what to print: --cube, --charger or --tag", 2)
    page = _page(prints)
    # A PDF has its size by the resolution, a PNG by the dots per inch.
    page.save(arguments.output, dpi=(_DOTS, _DOTS), resolution=_DOTS)
    print(f"{arguments.output}: print it without scaling, and check one with a ruler")
    return 0


def _signs(arguments: argparse.Namespace) -> list[_Print]:
    prints: list[_Print] = []
    if arguments.side and not arguments.cube:
        raise CommandError("--side needs --cube", 2)
    if arguments.cube:
        size = arguments.size or 1e3 * signs.CUBE_SIGN_SIZE
        for side in [arguments.side] if arguments.side else signs.SIDES:
            sign = signs.draw_sign(signs.code_of(arguments.cube, side), _dots(size))
            prints.append((f"cube {arguments.cube} {side}, {size:g} mm", sign))
    if arguments.charger:
        size = arguments.size or 1e3 * signs.CHARGER_SIGN_SIZE[0]
        prints.append((f"charger, {size:g} mm", signs.draw_sign(signs.CHARGER_CODE, _dots(size))))
    return prints


def _tags(arguments: argparse.Namespace) -> list[_Print]:
    size = arguments.size or 1e3 * signs.CUBE_SIGN_SIZE
    with as_command_error(TagError, exit_code=2):
        tags = [parse_tag(text) for text in arguments.tag]
    return [(f"{tag}, {size:g} mm", draw_tag(tag, _dots(size))) for tag in tags]


def _page(prints: Sequence[_Print]) -> Image.Image:
    """Return a page, A4, with everything in rows. Raises ``CommandError`` if it is too much."""
    width, height = (_dots(length) for length in _PAGE)
    margin, gap, caption = _dots(_MARGIN), _dots(_GAP), _dots(_CAPTION)
    page = Image.new("L", (width, height), 255)
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(caption)
    x, y, row = margin, margin, 0
    for text, pixels in prints:
        rows, columns = pixels.shape
        if x > margin and x + columns > width - margin:
            x, y, row = margin, y + row + gap, 0
        if y + rows > height - margin or x + columns > width - margin:
            raise CommandError("that is more than a page: print fewer at a time", 2)
        page.paste(Image.fromarray(pixels), (x, y))
        draw.text((x, y + rows + caption), text, fill=120, font=font)
        x, row = x + columns + gap, max(row, rows + 2 * caption)
    return page


def _dots(millimetres: float) -> int:
    return round(millimetres / 25.4 * _DOTS)

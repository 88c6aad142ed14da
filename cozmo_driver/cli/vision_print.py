"""``cozmo vision print``: markers for cubes and the charger, and tags, in their true size.

A set of tags (``--tags 12``) are landmarks to localise on: cards that stand on the floor, so that
the middle of each tag is at the camera's height, and a page that says where to put them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from ..localization import TAG_FAMILY, TAG_SIZE
from ..media import (
    CHARGER_CODE,
    CHARGER_MARKER_SIZE,
    CUBE_MARKER_SIZE,
    SIDES,
    code_of,
    draw_marker,
)
from ..perception import CUBES, TagError, draw_tag, parse_tag
from .common import CommandError, as_command_error, check_suffix

_DOTS = 600
"""Per inch."""
_PAGE = (210.0, 297.0)
_MARGIN, _GAP = 15.0, 14.0
"""mm; a tag needs white around it."""
_CARDS_MARGIN = 5.0
"""mm that printers leave; so cards of up to 150 mm have their white."""
_CAPTION = 3.0
_SIZES = (10.0, 180.0)
"""mm."""
_LANDMARK_SIZE = 1e3 * TAG_SIZE
_LANDMARK_HEIGHT = 40.0
"""mm from the floor to a tag's middle, as high as the camera."""
_FIRST_LANDMARK = f"{TAG_FAMILY}:0"
_LANDMARKS = 50
"""At most in one set."""
_WHITE = 1 / 6
"""Around a landmark's tag, in sides of it: a cell of 4x4_50, the family with the largest."""
_HOW = """
These tags are landmarks: the robot knows where it is by those that it sees.

1.  Print all pages without scaling. The line below is 100 mm long: measure it.
2.  Cut along the gray lines, or fold the lower edge back: each card stands on the floor,
     upright, on its lower edge, flat on a wall, a box or a piece of furniture.
3.  Put them around the place where it drives, 0.3 to 0.8 m apart, so that wherever it
     turns one or two are in sight, at most a metre away. More are better than fewer.
4.  Never two with one number, also not in the next room. Leave the white around them.
5.  Let it make its map: cozmo map. A tag that is moved later is noticed,
     and counts again once the map was made anew.
"""


_Print = tuple[str, npt.NDArray[np.uint8]]
"""Caption and picture."""


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--cube", type=int, choices=CUBES, help="our own markers for a cube")
    add("--side", choices=SIDES, help="only this side of the cube")
    add("--charger", action="store_true", help="our own marker for the charger")
    add("--tag", action="append", default=[], metavar="FAMILY:ID", help="such as 36h11:5, 4x4_50:1")
    add("--tags", type=int, metavar="N", help="a set of landmarks to localise on, on several pages")
    add("--first", default=_FIRST_LANDMARK, metavar="FAMILY:ID", help="of --tags (4x4_50:0)")
    add("--size", type=float, metavar="MM", help="width of a marker or tag (default 25, --tags 60)")
    add("--output", type=Path, default=Path("markers.pdf"), metavar="FILE", help="a .pdf or a .png")


def run(arguments: argparse.Namespace) -> int:
    check_suffix(arguments.output, ".pdf", ".png")
    low, high = _SIZES
    if arguments.size is not None and not low <= arguments.size <= high:
        raise CommandError(f"--size {arguments.size:g}: it is from {low:g} to {high:g} mm", 2)
    if arguments.tags is not None:
        pages = list(_landmarks(arguments))
    elif prints := list(_markers(arguments)) + list(_tags(arguments)):
        pages = [_page(prints)]
    else:
        raise CommandError("say what to print: --cube, --charger, --tag or --tags", 2)
    # A PDF has its size by the resolution, a PNG by the dots per inch.
    more: dict[str, Any] = {"save_all": True, "append_images": pages[1:]} if pages[1:] else {}
    pages[0].save(arguments.output, dpi=(_DOTS, _DOTS), resolution=_DOTS, **more)
    print(f"{arguments.output}: print it without scaling, and check one with a ruler")
    return 0


def _landmarks(arguments: argparse.Namespace) -> Iterator[Image.Image]:
    """Yield the page that says how, then the pages of cards."""
    if arguments.cube or arguments.charger or arguments.tag:
        raise CommandError("--tags is a set of its own: leave out --cube, --charger and --tag", 2)
    if not 1 <= arguments.tags <= _LANDMARKS:
        raise CommandError(f"--tags {arguments.tags}: a set has 1 to {_LANDMARKS} tags", 2)
    if arguments.output.suffix.lower() == ".png":
        raise CommandError("--tags needs several pages: use a .pdf", 2)
    with as_command_error(TagError, exit_code=2):
        first = parse_tag(arguments.first)
        # All are looked up before anything is drawn: a family may have fewer.
        tags = [
            parse_tag(f"{first.family}:{first.number + number}") for number in range(arguments.tags)
        ]
    size = arguments.size or _LANDMARK_SIZE
    white = _WHITE * size
    outside = size / 2 + white
    width, height = 2 * outside, max(outside, _LANDMARK_HEIGHT) + outside
    columns, rows = (
        int((length - 2 * _CARDS_MARGIN + 1e-6) // card)
        for length, card in zip(_PAGE, (width, height), strict=True)
    )
    if not columns:
        raise CommandError(f"--size {size:g}: a card of --tags with its white is too wide", 2)
    yield _instructions()
    for start in range(0, len(tags), columns * rows):
        page = _blank()
        draw, font = ImageDraw.Draw(page), ImageFont.load_default(_dots(_CAPTION))
        for number, tag in enumerate(tags[start : start + columns * rows]):
            row, column = divmod(number, columns)
            left, top = _CARDS_MARGIN + column * width, _CARDS_MARGIN + row * height
            draw.rectangle([_dots(v) for v in (left, top, left + width, top + height)], outline=170)
            tag_at = _dots(left + white), _dots(top + white)
            page.paste(Image.fromarray(draw_tag(tag, _dots(size))), tag_at)
            text = f"{tag}, {size:g} mm - this edge on the floor"
            at = _dots(left + width / 2), _dots(top + height - 1.5)
            draw.text(at, text, fill=120, font=font, anchor="ms")
        yield page


def _instructions() -> Image.Image:
    page = _blank()
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(_dots(1.3 * _CAPTION))
    draw.multiline_text((_dots(_MARGIN), _dots(_MARGIN)), _HOW, font=font, spacing=_dots(2.0))
    x, y = _MARGIN, _PAGE[1] / 2
    draw.line([_dots(v) for v in (x, y, x + 100.0, y)], width=_dots(0.3))
    for end in (x, x + 100.0):
        draw.line([_dots(v) for v in (end, y - 3.0, end, y + 3.0)], width=_dots(0.3))
    draw.text((_dots(x), _dots(y + 5.0)), "100 mm", font=font)
    return page


def _blank() -> Image.Image:
    width, height = (_dots(length) for length in _PAGE)
    return Image.new("L", (width, height), 255)


def _markers(arguments: argparse.Namespace) -> list[_Print]:
    prints: list[_Print] = []
    if arguments.side and not arguments.cube:
        raise CommandError("--side needs --cube", 2)
    if arguments.cube:
        size = arguments.size or 1e3 * CUBE_MARKER_SIZE
        for side in [arguments.side] if arguments.side else SIDES:
            marker = draw_marker(code_of(arguments.cube, side), _dots(size))
            prints.append((f"cube {arguments.cube} {side}, {size:g} mm", marker))
    if arguments.charger:
        size = arguments.size or 1e3 * CHARGER_MARKER_SIZE[0]
        prints.append((f"charger, {size:g} mm", draw_marker(CHARGER_CODE, _dots(size))))
    return prints


def _tags(arguments: argparse.Namespace) -> list[_Print]:
    size = arguments.size or 1e3 * CUBE_MARKER_SIZE
    with as_command_error(TagError, exit_code=2):
        tags = [parse_tag(text) for text in arguments.tag]
    return [(f"{tag}, {size:g} mm", draw_tag(tag, _dots(size))) for tag in tags]


def _page(prints: Sequence[_Print]) -> Image.Image:
    """Return a page, A4, with everything in rows. Raises ``CommandError`` if it is too much."""
    margin, gap, caption = _dots(_MARGIN), _dots(_GAP), _dots(_CAPTION)
    page = _blank()
    width, height = page.size
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

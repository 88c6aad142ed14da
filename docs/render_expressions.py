"""``python -m docs.render_expressions [FILE]``: draw the named expressions on one sheet."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from cozmo_driver.face.expressions import EXPRESSIONS
from cozmo_driver.face.parameters import Face
from cozmo_driver.face.renderer import render

SHEET = Path(__file__).parent / "images" / "expressions.png"
_COLUMNS = 5
_SCALE = 3
_MARGIN, _LABEL = 14, 26
_PAGE, _PANEL = (24, 26, 30), (6, 8, 12)
_LIT, _GLOW = (130, 225, 255), (34, 92, 120)
_TEXT = (225, 228, 232)


def panel(face: Face) -> Image.Image:
    """Return the face as its display shows it: every second row lit, the others faintly."""
    pixels = np.full((64, 128, 3), _PANEL, np.uint8)
    pixels[render(face, None)] = _GLOW
    pixels[render(face, 0)] = _LIT
    return Image.fromarray(pixels).resize((128 * _SCALE, 64 * _SCALE), Image.Resampling.NEAREST)


def sheet() -> Image.Image:
    """Return all expressions with their names."""
    width, height = 128 * _SCALE + _MARGIN, 64 * _SCALE + _LABEL + _MARGIN
    rows = -(-len(EXPRESSIONS) // _COLUMNS)
    page = Image.new("RGB", (_COLUMNS * width + _MARGIN, rows * height + _MARGIN), _PAGE)
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(20)
    for index, expression in enumerate(EXPRESSIONS):
        row, column = divmod(index, _COLUMNS)
        x, y = _MARGIN + column * width, _MARGIN + row * height
        page.paste(panel(expression.face), (x, y))
        middle = x + 64 * _SCALE
        draw.text((middle, y + 64 * _SCALE + 2), expression.name, _TEXT, font, anchor="ma")
    return page


def main() -> None:
    """Write the sheet."""
    parser = argparse.ArgumentParser(prog="python -m docs.render_expressions", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=SHEET, help=f"default: {SHEET}")
    sheet().save(parser.parse_args().file, optimize=True)


if __name__ == "__main__":
    main()

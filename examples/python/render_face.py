"""Draw a face into a picture file; this one needs no robot.

python3 examples/python/render_face.py Happiness happiness.png
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from PIL import Image

from cozmo_driver.face import EXPRESSIONS, find, render

SCALE = 4


def main() -> None:
    """Draw a face into a picture file."""
    parser = ArgumentParser(description=main.__doc__)
    names = [expression.name for expression in EXPRESSIONS]
    parser.add_argument("expression", nargs="?", default="Neutral", choices=names)
    parser.add_argument("file", type=Path, nargs="?", default=Path("face.png"))
    arguments = parser.parse_args()
    picture = Image.fromarray(render(find(arguments.expression).face, parity=None))
    picture.resize((128 * SCALE, 64 * SCALE), Image.Resampling.NEAREST).save(arguments.file)
    print(f"{arguments.expression} is in {arguments.file}")


if __name__ == "__main__":
    main()

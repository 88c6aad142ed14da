"""``python -m docs.render_clips [FOLDER]``: draw the built-in clips as filmstrips."""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image

from cozmo_driver.animation.filmstrip import film_strip
from cozmo_driver.resources.sound.builtin_sounds import BuiltinSounds
from scores import read_scores

FOLDER = Path(__file__).parent / "images"
SCORES = Path(__file__).parents[1] / "assets" / "scores"
_CELLS = 9
_COLORS = 64


def sheets() -> dict[str, Image.Image]:
    """Return one sheet for each file of scores."""
    sounds = BuiltinSounds()
    called = {sounds.event_id(name): name for name in sounds.names()}.__getitem__
    made = {}
    for name, score in read_scores(SCORES).items():
        strips = [
            film_strip(clip, cells=_CELLS, about=score.about[clip.name], sound_name=called)
            for clip in score.clips
        ]
        sheet = Image.new("RGB", (strips[0].width, sum(strip.height for strip in strips)))
        top = 0
        for strip in strips:
            sheet.paste(strip, (0, top))
            top += strip.height
        made[name] = sheet
    return made


def main() -> None:
    """Write the sheets."""
    parser = argparse.ArgumentParser(prog="python -m docs.render_clips", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help=f"default: {FOLDER}")
    folder = parser.parse_args().folder
    for name, sheet in sheets().items():
        reduced = sheet.quantize(_COLORS, dither=Image.Dither.NONE)
        reduced.save(folder / f"clips_{name}.png", optimize=True)


if __name__ == "__main__":
    main()

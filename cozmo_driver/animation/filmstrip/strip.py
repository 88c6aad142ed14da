"""Filmstrips of clips as still and as moving pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageDraw

from ...resources.clips import FRAME_MS, AnimationClip
from ..face_track import Pictures
from ..schedule import frame_at
from .drawing import CELL, FAINT, PAGE, TEXT, cell, font
from .moments import Moment, SoundName, moments_of

CELLS = 10
_GAP, _TITLE = 8, 20
_GIF_STEP = 2
"""Frames of the clip for one of a moving picture."""
_GIF_UNIT = 10
"""ms; the format knows no finer times."""


def film_strip(
    clip: AnimationClip,
    *,
    cells: int = CELLS,
    scale: int = 1,
    about: str = "",
    pictures: Pictures = lambda name: (),
    sound_name: SoundName = str,
) -> Image.Image:
    """Return a clip in some moments, in order, with its name, its length and a text about it.

    Raises ``ValueError`` for a clip that cannot be played.
    """
    moments = moments_of(clip, pictures, sound_name)
    chosen = key_moments(clip, moments, max(1, cells))
    width, height = CELL[0] * scale, CELL[1] * scale
    gap, title = _GAP * scale, _TITLE * scale
    size = cells * (width + gap) + gap, title + height + gap
    strip = Image.new("RGB", size, PAGE)
    draw = ImageDraw.Draw(strip)
    name = f"{clip.name}  {len(moments) * FRAME_MS / 1000:.1f} s"
    draw.text((gap, 3 * scale), name, TEXT, font(12 * scale))
    beside = gap + round(draw.textlength(name, font(12 * scale))) + 2 * gap
    draw.text((beside, 4 * scale), about, FAINT, font(11 * scale))
    for index, moment in enumerate(chosen):
        strip.paste(cell(moment, scale), (gap + index * (width + gap), title))
    return strip


def key_moments(clip: AnimationClip, moments: Sequence[Moment], count: int) -> tuple[Moment, ...]:
    """Return about evenly spread moments, each where the face reaches what it is on its way to.

    A sound that begins between two of them is told with the earlier one.
    """
    count = min(count, len(moments))
    reached = {frame_at(keyframe.trigger_ms) for keyframe in clip.procedural_face}
    bounds = [round(index * len(moments) / count) for index in range(count + 1)]
    chosen = []
    for start, end in pairwise(bounds):
        at = max((frame for frame in reached if start <= frame < end), default=start)
        sounds = [one.sound for one in moments[start:end] if one.sound is not None]
        chosen.append(replace(moments[at], sound=" ".join(sounds) or None))
    return tuple(chosen)


def animated(
    clip: AnimationClip,
    *,
    scale: int = 2,
    pictures: Pictures = lambda name: (),
    sound_name: SoundName = str,
) -> tuple[list[Image.Image], list[int]]:
    """Return a clip as pictures and how long each is shown, ms: at its own speed, on average.

    Raises ``ValueError`` for a clip that cannot be played.
    """
    moments = moments_of(clip, pictures, sound_name)
    shown: list[Image.Image] = []
    durations: list[int] = []
    for start in range(0, len(moments), _GIF_STEP):
        part = moments[start : start + _GIF_STEP]
        sound = next((one.sound for one in part if one.sound is not None), None)
        shown.append(cell(replace(part[0], sound=sound), scale))
        end = _GIF_UNIT * round((start + len(part)) * FRAME_MS / _GIF_UNIT)
        durations.append(end - sum(durations))
    return shown, durations


def save_gif(path: Path, shown: Sequence[Image.Image], durations: Sequence[int]) -> None:
    """Write a moving picture that repeats. Raises ``OSError``."""
    palette = _palette_of(shown)
    first, *others = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in shown]
    first.save(
        path,
        format="GIF",
        save_all=True,
        append_images=others,
        duration=list(durations),
        loop=0,
        optimize=False,
    )


def _palette_of(shown: Sequence[Image.Image]) -> Image.Image:
    """Return the colours of all pictures: otherwise those of the first would be those of all."""
    together = Image.new("RGB", (shown[0].width, shown[0].height * len(shown)))
    for index, one in enumerate(shown):
        together.paste(one, (0, index * one.height))
    return together.quantize(64)

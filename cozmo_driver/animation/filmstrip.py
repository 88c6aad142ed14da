"""Pictures of a clip, still and moving, so that a person sees it without a robot.

A moment is drawn as the face, the robot from its side, lights, and what it does.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from PIL.ImageFont import load_default as font

from ..media import DISPLAY_HEIGHT, DISPLAY_WIDTH, display_codec
from ..protocol import messages
from ..resources import FRAME_MS, AnimationClip, BodyMotion
from .face_track import Pictures, face_track_of
from .schedule import Schedule, frame_at, placed, schedule_of

SoundName = Callable[[int], str]
"""Returns what the event of a sound is called."""
Color = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

_REST_HEAD, _REST_LIFT = 0.0, 32.0
_DARK: Color = (0, 0, 0)
_SECONDS = FRAME_MS / 1000
_MOST_FRAMES = 4000
"""More than two minutes."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    frame: int
    picture: npt.NDArray[np.bool_] | None
    """64 x 128 pixels as the display shows them; None where the clip leaves the face alone."""
    head: float
    """deg"""
    lift: float
    """mm"""
    motion: BodyMotion | None
    """What the body does now."""
    lights: tuple[Color, ...]
    """Left, front, middle, rear, right."""
    sound: str | None
    """Of the sound that starts."""

    @property
    def time(self) -> float:
        """Of the clip, s."""
        return self.frame * _SECONDS


def moments_of(
    clip: AnimationClip,
    pictures: Pictures = lambda name: (),
    sound_name: SoundName = str,
) -> tuple[Moment, ...]:
    """Return every frame of a clip.

    Head and lift are at rest in the beginning and move evenly. Sounds may last longer. Raises
    ``ValueError`` for a clip that cannot be played or is too long.
    """
    schedule = schedule_of(clip)
    faces = face_track_of(schedule, pictures)
    length = max(schedule.length, faces.length)
    if length > _MOST_FRAMES:
        # Keyframes at one time are drawn one after the other.
        raise ValueError(f"it has {length} frames; up to {_MOST_FRAMES} can be drawn")
    heads = _joint([(k.trigger_ms, k.duration_ms, k.angle_deg) for k in clip.head_angle])
    lifts = _joint([(k.trigger_ms, k.duration_ms, k.height_mm) for k in clip.lift_height])
    sounds = dict(schedule.sounds)
    motions = list(placed(clip.body_motion))
    seen = []
    for frame in range(length):
        code = faces.code_at(frame, 0)
        sound = sounds.get(frame)
        seen.append(
            Moment(
                frame,
                None if code is None else display_codec.decode(code).astype(bool),
                _place(heads, frame, _REST_HEAD),
                _place(lifts, frame, _REST_LIFT),
                _motion_at(motions, frame),
                _lights(schedule, frame),
                None if sound is None else " / ".join(map(sound_name, sound.audio_event_ids)),
            )
        )
    return tuple(seen)


_Move = tuple[int, int, float]
"""Frame, frames it takes, where to."""


def _joint(keyframes: Iterable[tuple[int, int, float]]) -> list[_Move]:
    return [(frame_at(at), max(1, frame_at(takes)), to) for at, takes, to in keyframes]


def _place(moves: Iterable[_Move], frame: int, rest: float) -> float:
    place, started = rest, [move for move in moves if move[0] <= frame]
    for index, (start, takes, to) in enumerate(started):
        until = started[index + 1][0] if index + 1 < len(started) else frame
        place += (to - place) * min(1.0, (until - start) / takes)
    return place


def _motion_at(motions: Sequence[tuple[int, BodyMotion]], frame: int) -> BodyMotion | None:
    index = bisect_right(motions, frame, key=lambda motion: motion[0]) - 1
    if index < 0:
        return None
    start, motion = motions[index]
    if motion.duration_ms >= 0 and frame >= max(start + 1, start + frame_at(motion.duration_ms)):
        return None
    return motion


def _lights(schedule: Schedule, frame: int) -> tuple[Color, ...]:
    message = schedule.lights_at(frame)
    if not isinstance(message, messages.BackpackLights):
        return (_DARK,) * 5
    return tuple(_color(word) for word in message.colors)


def _color(word: int) -> Color:
    red, green, blue = (round((word >> shift & 31) * 255 / 31) for shift in (10, 5, 0))
    return red, green, blue


PAGE: Color = (24, 26, 30)
TEXT: Color = (225, 228, 232)
FAINT: Color = (140, 146, 154)
SOUND: Color = (255, 196, 92)
_PANEL, _LIT, _GLOW = (6, 8, 12), (130, 225, 255), (34, 92, 120)
_BODY, _TREAD, _EDGE = (196, 198, 202), (70, 74, 80), (110, 114, 120)
_HEAD, _LIFT = (226, 228, 232), (222, 84, 74)

CELL = (DISPLAY_WIDTH, DISPLAY_HEIGHT + 50)
"""Pixels of a cell at scale 1."""
_SKETCH = (58, 48)
_GROUND = 44
"""Row of the ground in a sketch."""
_MM = 0.42
"""Pixels for 1 mm."""
_LIFT_PIVOT, _ARM = (-38.0, 45.0), 66.0
_NECK = (-8.0, 47.0)
_FINE = 3
"""The sketch is drawn so many times larger."""
_STOPPED = 1
"""mm/s or deg/s that are not shown."""


def cell(moment: Moment, scale: int = 1) -> Image.Image:
    """Return a moment; its size is ``CELL`` times ``scale``."""
    width, height = CELL[0] * scale, CELL[1] * scale
    image = Image.new("RGB", (width, height), PAGE)
    image.paste(_panel(moment, scale), (0, 0))
    top = DISPLAY_HEIGHT * scale + scale
    image.paste(_sketch(moment, scale), (0, top))
    draw = ImageDraw.Draw(image)
    left = (_SKETCH[0] + 4) * scale
    draw.text((left, top), f"{moment.time:.2f} s", TEXT, font(10 * scale))
    _draw_lights(draw, moment.lights, left, top + 15 * scale, scale)
    if moment.motion is not None:
        draw.text((left, top + 23 * scale), _motion_text(moment.motion), TEXT, font(9 * scale))
    if moment.sound is not None:
        room = width - draw.textlength(moment.sound, font(9 * scale))
        place = max(0.0, min(left, room)), top + 35 * scale
        draw.text(place, moment.sound, SOUND, font(9 * scale))
    return image


def _panel(moment: Moment, scale: int) -> Image.Image:
    pixels = np.full((DISPLAY_HEIGHT, DISPLAY_WIDTH, 3), _PANEL, np.uint8)
    if moment.picture is not None:
        pairs = moment.picture.reshape(DISPLAY_HEIGHT // 2, 2, DISPLAY_WIDTH).any(axis=1)
        pixels[np.repeat(pairs, 2, axis=0)] = _GLOW
        pixels[moment.picture] = _LIT
    size = DISPLAY_WIDTH * scale, DISPLAY_HEIGHT * scale
    return Image.fromarray(pixels).resize(size, Image.Resampling.NEAREST)


def _sketch(moment: Moment, scale: int) -> Image.Image:
    """Return the robot from its right side, head and lift as they are; it looks to the right."""
    fine = scale * _FINE
    image = Image.new("RGB", (_SKETCH[0] * fine, _SKETCH[1] * fine), PAGE)
    draw = ImageDraw.Draw(image)

    def on(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        return [((29 + x * _MM) * fine, (_GROUND - y * _MM) * fine) for x, y in points]

    draw.line(on([(-70, 0), (70, 0)]), _EDGE, fine)
    draw.polygon(on([(-46, 10), (-50, 34), (-40, 50), (-18, 52), (14, 40), (22, 12)]), _BODY)
    draw.line(on([(-38, 9), (14, 9)]), _TREAD, round(18 * _MM * fine))
    for wheel in (-38, 14):
        draw.ellipse(on([(wheel - 9, 18), (wheel + 9, 0)]), _TREAD)
    head = [(-4, -14), (24, -14), (30, 4), (26, 24), (0, 26), (-10, 8)]
    draw.polygon(on(_turned(head, moment.head, _NECK)), _HEAD)
    draw.polygon(on(_turned([(22, -8), (29, 4), (26, 18), (20, 16)], moment.head, _NECK)), _PANEL)
    arm = math.asin(max(-1.0, min(1.0, (moment.lift - _LIFT_PIVOT[1]) / _ARM)))
    wrist = _LIFT_PIVOT[0] + _ARM * math.cos(arm), _LIFT_PIVOT[1] + _ARM * math.sin(arm)
    draw.line(on([_LIFT_PIVOT, wrist]), _LIFT, round(5 * _MM * fine))
    x, y = wrist
    draw.line(on([(x, y + 8), (x + 10, y + 8), (x + 10, y - 22)]), _LIFT, round(5 * _MM * fine))
    return image.resize((_SKETCH[0] * scale, _SKETCH[1] * scale), Image.Resampling.BOX)


def _turned(
    points: Sequence[tuple[float, float]], degrees: float, about: tuple[float, float]
) -> list[tuple[float, float]]:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(about[0] + x * cosine - y * sine, about[1] + x * sine + y * cosine) for x, y in points]


def _draw_lights(
    draw: ImageDraw.ImageDraw, lights: Sequence[Color], left: int, top: int, scale: int
) -> None:
    size = 5 * scale
    for index, color in enumerate(lights):
        x = left + index * (size + 4 * scale)
        draw.ellipse((x, top, x + size, top + size), color, outline=_EDGE)


def _motion_text(motion: BodyMotion) -> str:
    speed, radius = motion.limited_speed, motion.radius_mm
    if abs(speed) < _STOPPED:
        return "stop"
    if radius == 0:
        return f"{'left' if speed > 0 else 'right'} {abs(speed)}°/s"
    return f"{'ahead' if speed > 0 else 'back'} {abs(speed)} mm/s"


CELLS = 10
_GAP, _TITLE = 8, 20
_GIF_STEP = 2
"""Frames of the clip for one of a moving picture."""
_LARGEST = 16_000
"""Frames times the square of the scale: all pictures of 700 MB are in memory."""
_GIF_UNIT = 10
"""ms; the format has no finer times."""


def film_strip(
    clip: AnimationClip,
    *,
    cells: int = CELLS,
    scale: int = 1,
    about: str = "",
    pictures: Pictures = lambda name: (),
    sound_name: SoundName = str,
) -> Image.Image:
    """Return some moments in order, with a title. Raises as ``moments_of``."""
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

    A sound that starts between two of them goes with the earlier one.
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
    """Return pictures and how long each is shown, ms. Raises as ``moments_of``."""
    moments = moments_of(clip, pictures, sound_name)
    if len(moments) * scale**2 > _LARGEST:
        raise ValueError(
            f"a moving picture of {len(moments)} frames at scale {scale} is too large; "
            f"up to scale {math.isqrt(_LARGEST // len(moments))} it can be drawn"
        )
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

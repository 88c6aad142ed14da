"""The pictures of a clip: keyframe faces, and sequences of files over them (spec 06 §4)."""

from __future__ import annotations

import logging
import math
import struct
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from ..face import Face, eye_from_app, interpolate, render
from ..media import DISPLAY_HEIGHT, DISPLAY_WIDTH, display_codec
from ..resources import FRAME_MS, ProceduralFace, read_bytes
from .schedule import Schedule

_log = logging.getLogger(__name__)

_LIT = 0x80
"""A pixel of a picture is lit if it is brighter."""
_DAMAGE = OSError, ValueError, SyntaxError, LookupError, struct.error, Image.DecompressionBombError
"""What the library raises for a damaged picture; the last but one for chunks that are too short."""
_KEPT = 256
_LARGEST_PICTURE = 256 << 10
"""Bytes of a picture's file; one without any compression has 25 kB."""

Codes = tuple[bytes, bytes]
"""A picture as it is sent to the display, for either parity."""
Pictures = Callable[[str], Sequence[Path]]
"""Returns the files of a sequence, one for each frame; none for an unknown one."""


@dataclass(frozen=True, slots=True)
class FaceTrack:
    """The pictures of a clip; frames and times as in ``Schedule``."""

    frames: tuple[int, ...] = ()
    """In which each face starts to be the one that is drawn."""
    triggers: tuple[int, ...] = ()
    faces: tuple[Face, ...] = ()
    sequences: tuple[tuple[int, tuple[Codes, ...]], ...] = ()
    """First frame and pictures."""

    @property
    def length(self) -> int:
        ends = [first + len(pictures) for first, pictures in self.sequences]
        return max([*ends, *(frame + 1 for frame in self.frames[-1:])], default=0)

    def code_at(self, frame: int, parity: int) -> bytes | None:
        """Return what the face shows in a frame; None to leave it as it is."""
        index = bisect_right(self.sequences, frame, key=lambda sequence: sequence[0]) - 1
        if index >= 0:
            first, pictures = self.sequences[index]
            if frame - first < len(pictures):
                return pictures[frame - first][parity]
        face = self.face_at(frame)
        return None if face is None else code_of(face, parity)

    def face_at(self, frame: int) -> Face | None:
        """Return the face on the way from one keyframe to the next; None before the first."""
        index = bisect_right(self.frames, frame) - 1
        if index < 0:
            return None
        if index + 1 == len(self.faces):
            return self.faces[index]
        start, end = self.triggers[index : index + 2]
        fraction = (frame * FRAME_MS - start) / (end - start)
        return interpolate(self.faces[index], self.faces[index + 1], min(fraction, 1.0))


def face_track_of(schedule: Schedule, pictures: Pictures) -> FaceTrack:
    """Return the pictures; a sequence that is unknown or damaged is left out and logged."""
    return FaceTrack(
        tuple(frame for frame, _ in schedule.faces),
        tuple(keyframe.trigger_ms for _, keyframe in schedule.faces),
        tuple(face_of_keyframe(keyframe) for _, keyframe in schedule.faces),
        tuple(
            (frame, read_sequence(keyframe.anim_name, pictures))
            for frame, keyframe in schedule.sequences
        ),
    )


def face_of_keyframe(keyframe: ProceduralFace) -> Face:
    return Face(
        math.radians(keyframe.face_angle_deg),
        keyframe.face_center_x,
        keyframe.face_center_y,
        keyframe.face_scale_x,
        keyframe.face_scale_y,
        eye_from_app(keyframe.left_eye),
        eye_from_app(keyframe.right_eye),
    )


@lru_cache(_KEPT)
def code_of(face: Face, parity: int) -> bytes:
    """Return a drawn face as it is sent to the display."""
    return display_codec.encode(render(face, parity))


def read_sequence(name: str, pictures: Pictures) -> tuple[Codes, ...]:
    """Return the pictures of a sequence; as far as they can be read, else logged."""
    codes: list[Codes] = []
    files = pictures(name)
    if not files:
        _log.warning("there is no face animation %r; the clip goes on without it", name)
    for path in files:
        try:
            codes.append(_read_picture(path))
        except _DAMAGE as error:
            _log.warning("%s: the face animation ends here: %s", path, error)
            break
    return tuple(codes)


def _read_picture(path: Path) -> Codes:
    # Also because a library that reads from a file believes any size that the file says.
    data = read_bytes(path, _LARGEST_PICTURE)
    with Image.open(BytesIO(data), formats=("PNG",)) as image:
        if image.size not in (
            (DISPLAY_WIDTH, DISPLAY_HEIGHT),
            (DISPLAY_WIDTH, DISPLAY_HEIGHT // 2),
        ):
            wide, high = image.size
            raise ValueError(f"it has {wide}x{high} pixels, not {DISPLAY_WIDTH}x{DISPLAY_HEIGHT}")
        lit = np.asarray(image.convert("L")) > _LIT
    if len(lit) < DISPLAY_HEIGHT:
        lit = np.repeat(lit, 2, axis=0)
    rows = np.arange(DISPLAY_HEIGHT)[:, np.newaxis] % 2
    return display_codec.encode(lit & (rows == 1)), display_codec.encode(lit & (rows == 0))

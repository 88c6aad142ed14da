"""What pages express: the face, drawings for it, lights, clips' images, sound files of the user."""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ..animation import film_strip
from ..face import EXPRESSIONS, render
from ..resources import Library, ResourceError, load_library, sound_name
from ..robot import BackpackLights, Color, CubeLights, LightState
from .robot_port import Answer
from .view import Values, View, text_of

_WIDTH, _HEIGHT = 128, 64
_BYTES = _WIDTH * _HEIGHT // 8
_MOST_SOUND_BYTES = 10_000_000
_SOUNDS = (".wav", ".flac", ".ogg")
_LIT, _DARK = (130, 225, 255), (6, 8, 12)
_FACE_NODE = "cozmo_face"
_CELLS = 6
_FILMS_KEPT = 64
_PATTERNS: dict[str, Callable[[Color], LightState]] = {
    "steady": lambda color: LightState(on_color=color),
    "blink": lambda color: LightState(on_color=color, on_duration=0.5, off_duration=0.5),
    "breathe": lambda color: LightState(
        on_color=color, on_duration=0.12, fade_out=0.9, off_duration=0.12, fade_in=0.9
    ),
}
_TURN = 0.3
"""s for which a colour stays in a corner of a cube before it goes to the next one."""


# -- the face


async def draw(view: View, values: Values) -> Answer:
    """Show a drawing until ``give_back``."""
    pixels = _unpacked(values["pixels"])
    async with view.face_turn:
        answer = _publish(view, pixels)
        # Where a face node runs, it may have drawn over it before it was switched off.
        if answer.success and (await view.set_parameter(_FACE_NODE, "enabled", False)).success:
            answer = _publish(view, pixels)
        return answer


async def give_back(view: View, _: Values) -> Answer:
    async with view.face_turn:
        return await _let_face_draw(view, _publish(view, bytes(_WIDTH * _HEIGHT)))


async def express(view: View, values: Values) -> Answer:
    name = text_of(values["name"])
    async with view.face_turn:
        answer = view.publish("face/expression", name=name, blend_time=0.3)
        return await _let_face_draw(view, answer)


async def _let_face_draw(view: View, answer: Answer) -> Answer:
    if answer.success:
        await view.set_parameter(_FACE_NODE, "enabled", True)
    return answer


def _unpacked(code: Any) -> bytes:
    """Return mono8 pixels of a drawing: 1024 bytes in base64, a bit a pixel, rows from above.

    Raises ``ValueError``.
    """
    try:
        data = base64.b64decode(code, validate=True)
    except (TypeError, binascii.Error) as error:
        raise ValueError(f"no drawing: {error}") from error
    if len(data) != _BYTES:
        raise ValueError(f"a drawing has {_BYTES} bytes, not {len(data)}")
    return (np.unpackbits(np.frombuffer(data, np.uint8)) * np.uint8(255)).tobytes()


def _publish(view: View, pixels: bytes) -> Answer:
    size: dict[str, Any] = {"width": _WIDTH, "height": _HEIGHT, "step": _WIDTH}
    return view.publish("face/image", encoding="mono8", data=pixels, **size)


# -- lights


async def show_backpack(view: View, values: Values) -> Answer:
    """Show ``colors`` in a ``pattern``; without colours the robot's own lights again."""
    states = _states(values, 5)
    return view.publish("backpack_lights", lights=BackpackLights(*states) if states else None)


async def show_cube(view: View, values: Values) -> Answer:
    """The same of the ``cube`` (its factory id); ``turns``: they run around."""
    states = _states(values, 4)
    lights = None
    if states:
        corners = (states[0], states[1], states[2], states[3])
        lights = CubeLights(corners, _TURN * bool(values.get("turns")))
    return view.publish("cube_lights", lights=lights, factory_id=int(values["cube"]))


def _states(values: Values, count: int) -> list[LightState]:
    colors = values.get("colors")
    if colors is None:
        return []
    if len(colors) != count:
        raise ValueError(f"{count} colours, not {len(colors)}")
    make = _PATTERNS[values["pattern"]]
    return [make(_color_of(color)) for color in colors]


def _color_of(text: Any) -> Color:
    """Return the colour of ``#rrggbb``. Raises ``ValueError``."""
    if not isinstance(text, str) or len(text) != 7 or not text.startswith("#"):
        raise ValueError(f"no colour: {str(text)[:20]!r}")
    return Color(*(part / 255 for part in bytes.fromhex(text[1:])))


# -- images


@lru_cache(2 * len(EXPRESSIONS))
def picture_of(name: str) -> bytes | None:
    """Return a PNG of an expression, None where there is none of this name."""
    face = next((one.face for one in EXPRESSIONS if one.name == name), None)
    if face is None:
        return None
    picture = Image.fromarray(render(face, None).astype(np.uint8), "P")
    picture.putpalette((*_DARK, *_LIT))
    return _png(picture)


@cache
def _library() -> Library:
    return load_library()


@lru_cache(_FILMS_KEPT)
def film_of(name: str) -> bytes | None:
    """Return a PNG of a clip's moments, None where there is no such clip here. Blocks."""
    library = _library()
    if name not in library.clips:
        return None
    try:
        loaded = library.clips.load(name)
        return _png(
            film_strip(loaded.clip, cells=_CELLS, pictures=lambda _: (), sound_name=sound_name)
        )
    except (ResourceError, ValueError):
        return None


def _png(image: Image.Image) -> bytes:
    file = BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


# -- sound


async def play_file(view: View, name: str, content: bytes) -> Answer:
    """Play a user's sound; what goes wrong is said of the file as the user knows it."""
    if refusal := view.refusal():
        return refusal
    name = Path(name).name
    suffix = Path(name).suffix.lower()
    if suffix not in _SOUNDS:
        return Answer(False, f"{name}: a sound is a {', '.join(_SOUNDS)} file")
    if len(content) > _MOST_SOUND_BYTES:
        return Answer(False, f"{name}: a sound has 10 MB at most")
    with ExitStack() as kept:
        try:
            copy = kept.enter_context(tempfile.NamedTemporaryFile(prefix="cozmo-", suffix=suffix))
            Path(copy.name).write_bytes(content)
        except OSError as error:
            where = tempfile.tempdir or "a folder for temporary files"
            return Answer(
                False,
                f"{name} cannot be written to {where} ({error.strerror}): make it writable and "
                "make room, or start the cockpit with another TMPDIR",
            )

        async def play() -> Answer:
            answer = await view.robot.do("play_audio", file=copy.name)
            return replace(answer, message=answer.message.replace(copy.name, name))

        return await view.hub.sound.run(play())

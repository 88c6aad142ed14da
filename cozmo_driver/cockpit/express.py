"""The face, drawings for it, and sound files of the user."""

from __future__ import annotations

import base64
import binascii
import tempfile
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ..face import EXPRESSIONS, render
from .robot_port import Answer
from .view import View

WIDTH, HEIGHT = 128, 64
_BYTES = WIDTH * HEIGHT // 8
MOST_SOUND_BYTES = 10_000_000
_SOUNDS = (".wav", ".flac", ".ogg")
_LIT, _DARK = (130, 225, 255), (6, 8, 12)
_FACE_NODE = "cozmo_face"
SOUND = "sound"
"""Which of a view's ``running`` it is."""


def unpacked(code: Any) -> bytes:
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


async def draw(view: View, code: Any) -> Answer:
    """Show a drawing until ``give_back``."""
    pixels = unpacked(code)
    answer = _publish(view, pixels)
    # Where a face node runs, it may have drawn over it before it was switched off.
    if answer.success and (await view.set_parameter(_FACE_NODE, "enabled", False)).success:
        answer = _publish(view, pixels)
    return answer


async def give_back(view: View) -> Answer:
    answer = _publish(view, bytes(WIDTH * HEIGHT))
    if answer.success:
        await view.set_parameter(_FACE_NODE, "enabled", True)
    return answer


async def express(view: View, name: str) -> Answer:
    answer = view.publish("face/expression", name=name, blend_time=0.3)
    if answer.success:
        await view.set_parameter(_FACE_NODE, "enabled", True)
    return answer


def _publish(view: View, pixels: bytes) -> Answer:
    size: dict[str, Any] = {"width": WIDTH, "height": HEIGHT, "step": WIDTH}
    return view.publish("face/image", encoding="mono8", data=pixels, **size)


@cache
def picture_of(name: str) -> bytes | None:
    """Return a PNG of an expression, None where there is none of this name."""
    face = next((one.face for one in EXPRESSIONS if one.name == name), None)
    if face is None:
        return None
    file = BytesIO()
    picture = Image.fromarray(render(face, None).astype(np.uint8), "P")
    picture.putpalette((*_DARK, *_LIT))
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


async def play_file(view: View, name: str, content: bytes) -> Answer:
    """Play a user's sound; what goes wrong is said of the file as the user knows it."""
    name = Path(name).name
    suffix = Path(name).suffix.lower()
    if suffix not in _SOUNDS:
        return Answer(False, f"{name}: a sound is a {', '.join(_SOUNDS)} file")
    if len(content) > MOST_SOUND_BYTES:
        return Answer(False, f"{name}: a sound has 10 MB at most")
    with tempfile.NamedTemporaryFile(prefix="cozmo-", suffix=suffix) as copy:
        copy.write(content)
        copy.flush()

        async def play() -> Answer:
            answer = await view.robot.do("play_audio", file=copy.name)
            return replace(answer, message=answer.message.replace(copy.name, name))

        return await view.running[SOUND].run(view.run(play))

"""Express: the face, clips, voice and sound, lights."""

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
from nicegui import ui
from nicegui.elements.upload_files import FileUpload
from nicegui.events import GenericEventArguments, UploadEventArguments
from PIL import Image

from ..face import EXPRESSIONS, render
from . import lights
from .robot_port import Answer
from .view import Running, View, card

WIDTH, HEIGHT = 128, 64
_BYTES = WIDTH * HEIGHT // 8
MOST_SOUND_BYTES = 10_000_000
_SOUNDS = (".wav", ".flac", ".ogg")
_LIT, _DARK = (130, 225, 255), (6, 8, 12)
_FACE_NODE = "cozmo_face"
_ANY = 0


def build(view: View) -> None:
    with ui.element("div").classes("cz-cards"):
        _add_face(view)
        _add_clips(view)
        _add_voice(view)
        lights.add(view)


# -- face


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


def _add_face(view: View) -> None:
    def publish(pixels: bytes) -> bool:
        size: dict[str, Any] = {"width": WIDTH, "height": HEIGHT, "step": WIDTH}
        return view.publish("face/image", encoding="mono8", data=pixels, **size).success

    async def enable_face_node(on: bool) -> bool:
        return (await view.robot.set_parameter(_FACE_NODE, "enabled", on)).success

    async def on_drawing(event: GenericEventArguments) -> None:
        try:
            pixels = unpacked(event.args["detail"])
        except ValueError as error:
            ui.notify(str(error), type="negative")
            return
        # Where a face node runs, it may have drawn over it before it was switched off.
        if publish(pixels) and await enable_face_node(False):
            publish(pixels)

    async def give_back() -> None:
        if publish(bytes(WIDTH * HEIGHT)):
            await enable_face_node(True)

    async def express(name: str) -> None:
        if view.publish("face/expression", name=name, blend_time=0.3).success:
            await enable_face_node(True)

    with card("Face"):
        ui.element("cozmo-face").props("feed=face")
        with ui.element("div").classes("cz-faces").props('role=group aria-label="Expressions"'):
            for expression in EXPRESSIONS:
                with ui.element("button").props("type=button") as button:
                    ui.element("img").props(f'src="{_picture_of(expression.name)}" alt=""')
                    ui.label(expression.name)
                button.on("click", lambda name=expression.name: express(name))
    with card("Draw"):
        ui.element("cozmo-board").on("drawing", on_drawing, args=["detail"])
        ui.button("Give the face back", on_click=give_back).props("flat no-caps")


@cache
def _picture_of(name: str) -> str:
    face = next(one.face for one in EXPRESSIONS if one.name == name)
    file = BytesIO()
    picture = Image.fromarray(render(face, None).astype(np.uint8), "P")
    picture.putpalette((*_DARK, *_LIT))
    picture.save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


# -- clips


def _add_clips(view: View) -> None:
    running = Running()

    async def play(event: GenericEventArguments) -> None:
        name = str(event.args["detail"])
        await running.run(view.do("play_animation", moves=True, name=name))

    with card("Clips"):
        clips = ui.element("cozmo-clips").on("play", play, args=["detail"])
        clips.on("stop", running.cancel, args=[])

    async def load() -> None:
        answer = await view.call("list_animations", kind=_ANY)
        if answer.success:
            clips.props["names"] = {
                kind: list(answer.fields[kind]) for kind in ("clips", "groups", "triggers")
            }
            clips.update()

    ui.timer(0.0, load, once=True)


# -- voice and sound


async def play_file(view: View, file: FileUpload) -> Answer:
    """Play a user's sound; what goes wrong is said of the file as the user knows it."""
    name = Path(file.name).name
    suffix = Path(name).suffix.lower()
    if suffix not in _SOUNDS:
        return view.notify(Answer(False, f"{name}: a sound is a {', '.join(_SOUNDS)} file"))
    with tempfile.NamedTemporaryFile(prefix="cozmo-", suffix=suffix) as copy:
        await file.save(copy.name)

        async def play() -> Answer:
            answer = await view.robot.do("play_audio", file=copy.name)
            return replace(answer, message=answer.message.replace(copy.name, name))

        return await view.run(play)


def _add_voice(view: View) -> None:
    running = Running()

    async def say() -> None:
        if text := text_input.value.strip():
            await running.run(view.do("say", text=text))

    async def on_volume(event: GenericEventArguments) -> None:
        await view.call("set_volume", volume=float(event.args) / 100)

    def on_rejected(event: GenericEventArguments) -> None:
        view.notify(Answer(False, f"{event.args}: a sound has 10 MB at most"))

    async def on_upload(event: UploadEventArguments) -> None:
        await running.run(play_file(view, event.file))

    with card("Voice and sound"):
        with ui.element("form").classes("cz-row").on("submit.prevent", say):
            text_input = ui.input("Say").props("outlined dense maxlength=1000").classes("cz-grow")
            ui.button("Say").props("type=submit no-caps")
        ui.label("Volume").props("id=cz-volume")
        volume = ui.slider(min=0, max=100, step=5, value=100)
        volume.props('label aria-labelledby="cz-volume"')
        # When it is let go, not all the way.
        volume.on("change", on_volume, args=[None])
        upload = ui.upload(
            auto_upload=True,
            max_files=1,
            max_file_size=MOST_SOUND_BYTES,
            on_upload=on_upload,
        ).classes("hidden")
        upload.on("rejected", on_rejected, js_handler="([it]) => emit(it.file.name)")
        # Else it takes no other file: also after a wrong one, and while this one plays.
        upload.on("finish", js_handler=f"() => runMethod({upload.id}, 'reset', [])")
        # Quasar's own button has a field inside, which screen readers cannot tell from it.
        choose = ui.button("Play a sound file (WAV, FLAC, OGG)").props("outline no-caps")
        choose.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")
        ui.button("Stop the sound", on_click=running.cancel).props("flat no-caps")

    async def load() -> None:
        value = await view.robot.parameter("cozmo_driver", "volume")
        if value is not None:
            volume.set_value(round(100 * value))

    ui.timer(0.0, load, once=True)

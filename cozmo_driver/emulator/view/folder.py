"""A folder that shows what robots see, show and play; every file in it is only ever seen whole.

| file | what it is |
|---|---|
| ``index.html`` | all of it, for a browser; refreshes itself |
| ``top.png`` | the world from above, with the robots' trails |
| ``camera.png`` | the picture that the camera sent last; what it would see while nobody films |
| ``face.png`` | the display, four times as large |
| ``sound-1.wav`` ... | the last 20 pieces of sound, in a circle; before the volume |

Of several robots each has a folder of its own for the last three.
"""

from __future__ import annotations

import os
import wave
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from ...media import mini_jpeg
from ...media.audio_codec import SAMPLE_RATE
from ..firmware import Firmware
from ..played import PlayedSound
from .face import draw_face
from .page import news, page
from .sounds import SoundPieces
from .top import TopView

KEPT_SOUNDS = 20
_NEWS_PERIOD = 1.0
"""s of the robot between two signs of life when nothing happens."""


class ViewFolder:
    """Keeps the files up to date; call ``update`` as often as they shall change at most."""

    def __init__(self, folder: Path, count: int = 1) -> None:
        """Make the folder for some robots. Raises ``OSError``."""
        names = [""] if count == 1 else [f"robot_{number}/" for number in range(1, count + 1)]
        self.folder = folder
        self._robots = [_RobotFiles(folder / name) for name in names]
        self._top: TopView | None = None
        self._number = 0
        self._told: Hashable = None
        self._told_at = 0.0
        _replace(folder / "index.html", lambda file: file.write_text(page(names, KEPT_SOUNDS)))

    def update(self, robots: Sequence[Firmware]) -> None:
        """Write what has changed. Raises ``OSError``."""
        world = robots[0].place.world
        if self._top is None:
            self._top = TopView(world)
        seen = self._top.update()
        if seen is not None:
            _save(seen, self.folder / "top.png")
        told = [f.update(robot) for f, robot in zip(self._robots, robots, strict=True)]
        self._tell(robots[0].core.now, world.layout.name, told)

    def _tell(self, now: float, world: str, told: list[dict[str, Any]]) -> None:
        content = repr(told)
        if content == self._told and abs(now - self._told_at) < _NEWS_PERIOD:
            return
        self._told, self._told_at = content, now
        self._number += 1
        text = news(self._number, f"world: {world}", told)
        _replace(self.folder / "news.js", lambda file: file.write_text(text))


class _RobotFiles:
    """The files of one robot."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._face: bytes | None = None
        self._seen: Hashable = None
        self._pieces = SoundPieces()
        self._sounds: deque[dict[str, Any]] = deque(maxlen=KEPT_SOUNDS)
        self._count = 0

    def update(self, robot: Firmware) -> dict[str, Any]:
        """Write what has changed; return what to tell about the robot."""
        self._write_face(robot)
        self._write_picture(robot)
        for sound in self._pieces.take(robot.animation.recording, robot.core.now):
            self._write_sound(sound)
        return {"told": _in_words(robot), "sounds": [*self._sounds]}

    def _write_face(self, robot: Firmware) -> None:
        picture = robot.display.picture
        if picture.tobytes() != self._face:
            self._face = picture.tobytes()
            _save(draw_face(picture), self._folder / "face.png")

    def _write_picture(self, robot: Firmware) -> None:
        filmed = robot.camera.filmed
        seen = _what_is_seen(robot) if filmed is None else filmed
        if seen == self._seen:
            return
        self._seen = seen
        picture = latest_picture(robot)
        if picture is not None:
            _save(Image.fromarray(picture), self._folder / "camera.png")

    def _write_sound(self, sound: PlayedSound) -> None:
        name = f"sound-{self._count % KEPT_SOUNDS + 1}.wav"
        self._count += 1

        def write(file: Path) -> None:
            with wave.open(str(file), "wb") as out:
                out.setnchannels(1)
                out.setsampwidth(2)
                out.setframerate(SAMPLE_RATE)
                out.writeframes(sound.samples.astype("<i2").tobytes())

        _replace(self._folder / name, write)
        seconds = round(len(sound.samples) / SAMPLE_RATE, 2)
        self._sounds.append({"number": self._count, "file": name, "seconds": seconds})


def latest_picture(robot: Firmware) -> mini_jpeg.Picture | None:
    """Return the picture that was sent last, uint8, gray 240x320 or RGB 240x320x3.

    While nobody films it is what the camera would see; None on the endless floor.
    """
    if robot.camera.filmed is not None:
        seen: mini_jpeg.Picture | None = mini_jpeg.picture(mini_jpeg.to_jpeg(robot.camera.filmed))
    else:
        seen = robot.camera.look()
    return None if seen is None else mini_jpeg.stretched(seen)


def _what_is_seen(robot: Firmware) -> Hashable:
    """Return what decides how the world looks to a robot that nobody films with."""
    camera, world = robot.camera, robot.place.world
    return (
        robot.stance(),
        (camera.gain, camera.exposure_ms, camera.light, camera.has_lamp(), camera.color),
        tuple((cube.pose, cube.is_down) for cube in world.cubes.values()),
        tuple((occupant.where(), occupant.is_solid()) for occupant in world.occupants),
    )


def _in_words(robot: Firmware) -> str:
    state = robot.snapshot(robot.core.now)
    words = ["connected" if state.connected else "nobody is connected"]
    if robot.camera.streaming:
        words.append("filming")
    if state.on_charger:
        words.append("on the charger")
    if robot.hands.posture.name != "FLAT":
        words.append(f"posture: {robot.hands.posture.name.lower()}")
    words.append(f"battery {state.battery_voltage:.2f} V")
    return ", ".join(words)


def _save(picture: Image.Image, file: Path) -> None:
    _replace(file, lambda hidden: picture.save(hidden, "PNG", compress_level=1))


def _replace(file: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside the one that is there and put it into its place at once."""
    hidden = file.with_name(f".{file.name}")
    write(hidden)
    os.replace(hidden, file)

"""A folder that shows what robots see, show and play: the files of docs/simulation.md.

Every file in it is only ever seen whole.
"""

from __future__ import annotations

import json
import os
import wave
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ...media import SAMPLE_RATE, DisplayImage, mini_jpeg
from ..animation import PlayedFrame, PlayedSound, Recording, decoded
from ..firmware import Firmware
from .top import TopView

KEPT_SOUNDS = 20
_NEWS_PERIOD = 1.0
"""s of the robot between two signs of life when nothing happens."""
_PAUSE = 15
"""Frames of silence, half a second, after which a piece has ended."""
LONGEST = 900
"""Frames of a piece, 30 s; what goes on longer goes on in the next one."""
ZOOM = 4
"""Pixels of the face's picture for each of the display, both ways."""
_GLASS, _DARK, _LIT = (4, 7, 10), (13, 20, 25), (130, 225, 255)
_PAGE = Path(__file__).with_name("index.html")


class ViewFolder:
    """Keeps the files up to date; call ``update`` as often as they shall change at most."""

    def __init__(self, folder: Path, count: int = 1) -> None:
        """Make the folder for ``count`` robots. Raises ``OSError``."""
        names = [""] if count == 1 else [f"robot_{number}/" for number in range(1, count + 1)]
        self.folder = folder
        self._robots = [_RobotFiles(folder / name) for name in names]
        self._top: TopView | None = None
        self._number = 0
        self._news: Hashable = None
        self._news_at = 0.0
        page = _PAGE.read_text(encoding="utf-8").replace("ROBOTS", json.dumps(names))
        page = page.replace("KEPT", str(KEPT_SOUNDS))
        _replace(folder / "index.html", lambda file: file.write_text(page))

    def update(self, robots: Sequence[Firmware]) -> None:
        """Write what has changed. Raises ``OSError``."""
        world = robots[0].place.world
        if self._top is None:
            self._top = TopView(world)
        seen = self._top.update()
        if seen is not None:
            _save(seen, self.folder / "top.png")
        news = [f.update(robot) for f, robot in zip(self._robots, robots, strict=True)]
        self._write_news(robots[0].core.now, world.layout.name, news)

    def _write_news(self, now: float, world: str, robots: list[dict[str, Any]]) -> None:
        content = repr(robots)
        if content == self._news and abs(now - self._news_at) < _NEWS_PERIOD:
            return
        self._news, self._news_at = content, now
        self._number += 1
        news = {"number": self._number, "world": f"world: {world}", "robots": robots}
        text = f"news({json.dumps(news)});\n"
        _replace(self.folder / "news.js", lambda file: file.write_text(text))


class SoundPieces:
    """Follows one robot's recording; a piece has no missing frame and no long silence in it."""

    def __init__(self) -> None:
        self._piece: list[PlayedFrame] = []
        self._last_slot = -1
        self._silent = 0
        """Frames of silence at the piece's end."""

    def update(self, recording: Recording, now: float) -> list[PlayedSound]:
        """Return the pieces that have ended since the last call."""
        newest = takewhile(lambda f: f.slot > self._last_slot, reversed(recording.frames))
        ended = [sound for frame in reversed([*newest]) for sound in self._add(frame, recording)]
        if self._piece and recording.time_of(self._last_slot + _PAUSE) < now:
            ended += self._end(recording)
        return ended

    def _add(self, frame: PlayedFrame, recording: Recording) -> list[PlayedSound]:
        is_next = frame.slot == self._last_slot + 1
        self._last_slot = frame.slot
        ended = [] if is_next else self._end(recording)
        if frame.codes or self._piece:
            self._piece.append(frame)
            self._silent = 0 if frame.codes else self._silent + 1
        if self._silent >= _PAUSE or len(self._piece) >= LONGEST:
            ended += self._end(recording)
        return ended

    def _end(self, recording: Recording) -> list[PlayedSound]:
        piece = self._piece[: len(self._piece) - self._silent]
        self._piece, self._silent = [], 0
        if not piece:
            return []
        sound = PlayedSound(recording.time_of(piece[0].slot), decoded(piece))
        return [sound] if sound.samples.any() else []


class _RobotFiles:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._face: bytes | None = None
        self._seen: Hashable = None
        self._pieces = SoundPieces()
        self._sounds: deque[dict[str, Any]] = deque(maxlen=KEPT_SOUNDS)
        self._count = 0

    def update(self, robot: Firmware) -> dict[str, Any]:
        """Write what has changed; return the robot's news."""
        self._write_face(robot)
        self._write_picture(robot)
        for sound in self._pieces.update(robot.animation.recording, robot.core.now):
            self._write_sound(sound)
        return {"text": _in_words(robot), "sounds": [*self._sounds]}

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


def draw_face(picture: DisplayImage) -> Image.Image:
    """Return 64 rows of 128 pixels, 0 or 1, as a picture of 512x256 with a palette."""
    cells = np.kron(picture + np.uint8(1), np.ones((ZOOM, ZOOM), np.uint8))
    cells[ZOOM - 1 :: ZOOM] = 0
    cells[:, ZOOM - 1 :: ZOOM] = 0
    face = Image.fromarray(cells)
    face.putpalette((*_GLASS, *_DARK, *_LIT))
    return face


def latest_picture(robot: Firmware) -> mini_jpeg.ImageArray | None:
    """Return the picture that was sent last, uint8, gray 240x320 or RGB 240x320x3.

    While nobody films it is what the camera would see; None on the endless floor.
    """
    if robot.camera.filmed is not None:
        seen: mini_jpeg.ImageArray | None = mini_jpeg.picture(
            mini_jpeg.to_jpeg(robot.camera.filmed)
        )
    else:
        seen = robot.camera.preview()
    return None if seen is None else mini_jpeg.stretched(seen)


def _what_is_seen(robot: Firmware) -> Hashable:
    """Return what decides how the world looks to a robot that nobody films with."""
    camera, world = robot.camera, robot.place.world
    return (
        robot.stance(),
        (camera.gain, camera.exposure_ms, camera.light, robot.backpack.head_light, camera.color),
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
    if robot.handling.posture.name != "FLAT":
        words.append(f"posture: {robot.handling.posture.name.lower()}")
    words.append(f"battery {state.battery_voltage:.2f} V")
    return ", ".join(words)


def _save(picture: Image.Image, file: Path) -> None:
    _replace(file, lambda hidden: picture.save(hidden, "PNG", compress_level=1))


def _replace(file: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside the one that is there and put it into its place at once."""
    hidden = file.with_name(f".{file.name}")
    write(hidden)
    os.replace(hidden, file)

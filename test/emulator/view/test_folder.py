"""The files of ``cozmo emulator --view``: what the robots see, show and play."""

from __future__ import annotations

import json
import os
import re
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.emulator.view.folder import KEPT_SOUNDS, ViewFolder
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.media import audio_codec
from cozmo_driver.media.audio_codec import FRAME_SAMPLES, SAMPLE_RATE
from cozmo_driver.protocol.messages import (
    AudioSample,
    AudioSilence,
    EnableColorImages,
    EndOfAnimation,
    FaceImage,
    ImageChunk,
    ImageRequest,
    InitController,
    SetHeadAngle,
)

from ..bench import Bench, started

BOX = FaceImage(bytes.fromhex("139cbf523f17"))
_BEEP = np.round(8000 * np.sin(np.arange(3 * FRAME_SAMPLES) / 6)).astype(np.int16)
QUIET = EmulatorOptions(ideal=True, calibration_time=0.0, torn_images=0)


def bench_on(name: str) -> Bench:
    return started(QUIET, World(load_layout(find_world(name)), ideal=True))


@pytest.fixture
def bench() -> Bench:
    return bench_on("table")


def pixels(file: Path) -> np.ndarray:
    with Image.open(file) as picture:
        return np.asarray(picture.convert("RGB") if picture.mode == "P" else picture)


def news(folder: Path) -> dict[str, Any]:
    """Return what the page was given."""
    match = re.fullmatch(r"news\((.*)\);\n", (folder / "news.js").read_text())
    assert match
    return json.loads(match[1])


def play(bench: Bench, *frames: AudioSample | AudioSilence) -> None:
    # The robot begins when it has some frames in store.
    bench.send(*frames, *[AudioSilence()] * 8, EndOfAnimation())
    bench.run(2.0)


def beep() -> list[AudioSample]:
    codes = audio_codec.encode(_BEEP)
    return [AudioSample(codes[i : i + FRAME_SAMPLES]) for i in range(0, len(codes), FRAME_SAMPLES)]


def samples_of(file: Path) -> np.ndarray:
    with wave.open(str(file)) as sound:
        assert (sound.getnchannels(), sound.getsampwidth()) == (1, 2)
        assert sound.getframerate() == SAMPLE_RATE
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2")


def test_the_face_is_shown_four_times_as_large_lit_dot_by_dot(bench: Bench, tmp_path: Path) -> None:
    view = ViewFolder(tmp_path)
    view.update([bench.firmware])
    dark = pixels(tmp_path / "face.png")
    assert dark.shape == (256, 512, 3)
    assert dark.max() < 40
    bench.firmware.display.show(BOX.image)
    view.update([bench.firmware])
    face = pixels(tmp_path / "face.png")
    assert np.array_equal(face[1::4, 1::4].max(axis=2) > 128, bench.firmware.display.picture > 0)
    assert (face.max(axis=2) > 128).any()


def test_the_camera_shows_the_very_picture_that_was_sent_last(bench: Bench, tmp_path: Path) -> None:
    view = ViewFolder(tmp_path)
    bench.send(ImageRequest())
    bench.run(1.0)
    # One picture may be on its way: the one that is shown is the newest or the one before.
    view.update([bench.firmware])
    shown = pixels(tmp_path / "camera.png")
    assert np.array_equal(shown, bench.images()[-1])
    bench.send(SetHeadAngle(0.5, 10.0, 20.0, 0.0, 1))
    bench.run(1.0)
    view.update([bench.firmware])
    assert not np.array_equal(pixels(tmp_path / "camera.png"), shown)
    bench.send(EnableColorImages(True))
    bench.run(0.5)
    view.update([bench.firmware])
    assert pixels(tmp_path / "camera.png").shape == (240, 320, 3)


def test_nothing_is_written_while_nothing_changes(bench: Bench, tmp_path: Path) -> None:
    view = ViewFolder(tmp_path)
    view.update([bench.firmware])
    before = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    bench.run(0.1)
    view.update([bench.firmware])
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == before


def test_what_is_played_becomes_a_file_for_each_unbroken_piece(
    bench: Bench, tmp_path: Path
) -> None:
    view = ViewFolder(tmp_path)
    bench.send(InitController())
    for _ in range(2):
        play(bench, *beep())
        view.update([bench.firmware])
        view.update([bench.firmware])
    assert {f.name for f in tmp_path.glob("*.wav")} == {"sound-1.wav", "sound-2.wav"}
    expected = audio_codec.decode(audio_codec.encode(_BEEP))
    assert np.array_equal(samples_of(tmp_path / "sound-1.wav"), expected)
    (robot,) = news(tmp_path)["robots"]
    assert robot["sounds"] == [
        {"number": number, "file": f"sound-{number}.wav", "seconds": 0.1} for number in (1, 2)
    ]


def test_the_number_of_sound_files_is_bounded(bench: Bench, tmp_path: Path) -> None:
    view = ViewFolder(tmp_path)
    bench.send(InitController())
    for _ in range(KEPT_SOUNDS + 2):
        play(bench, *beep())
        view.update([bench.firmware])
    assert len(list(tmp_path.glob("*.wav"))) == KEPT_SOUNDS
    (robot,) = news(tmp_path)["robots"]
    assert [sound["number"] for sound in robot["sounds"]] == list(range(3, KEPT_SOUNDS + 3))
    assert robot["sounds"][-1]["file"] == "sound-2.wav"


def test_the_page_gets_a_life_sign_and_how_the_robot_is(bench: Bench, tmp_path: Path) -> None:
    view = ViewFolder(tmp_path)
    view.update([bench.firmware])
    first = news(tmp_path)
    assert first["world"] == "world: table"
    assert "connected" in first["robots"][0]["text"]
    bench.firmware.handling.pick_up()
    bench.run(1.5)
    view.update([bench.firmware])
    second = news(tmp_path)
    assert second["number"] > first["number"]
    assert "held" in second["robots"][0]["text"]


def test_several_robots_have_a_folder_each_and_one_world(tmp_path: Path) -> None:
    world = World(load_layout(find_world("table")), ideal=True)
    robots = [Bench(QUIET, world).firmware for _ in range(2)]
    ViewFolder(tmp_path, 2).update(robots)
    assert set(os.listdir(tmp_path)) == {"index.html", "news.js", "top.png", "robot_1", "robot_2"}
    assert set(os.listdir(tmp_path / "robot_2")) == {"camera.png", "face.png"}
    assert "robot_2/" in (tmp_path / "index.html").read_text()


def test_the_page_asks_for_nothing_from_the_network(bench: Bench, tmp_path: Path) -> None:
    ViewFolder(tmp_path).update([bench.firmware])
    text = (tmp_path / "index.html").read_text()
    assert "//" not in text.replace("</", "")
    for name in ("top.png", "camera.png", "face.png", "news.js"):
        assert name in text
    assert "ROBOTS" not in text
    assert "KEPT" not in text


def test_looking_changes_nothing_of_what_the_robot_films(tmp_path: Path) -> None:
    def film(watched: bool) -> list[bytes]:
        bench = started(
            EmulatorOptions(calibration_time=0.0), World(load_layout(find_world("maze")))
        )
        view = ViewFolder(tmp_path)
        bench.send(ImageRequest())
        for _ in range(5):
            bench.run(0.1)
            if watched:
                view.update([bench.firmware])
        return [chunk.data for chunk in bench.got(ImageChunk)]

    filmed = film(True)
    assert filmed
    assert filmed == film(False)


def test_on_the_endless_floor_there_is_no_camera_picture_until_somebody_films(
    tmp_path: Path,
) -> None:
    ViewFolder(tmp_path).update([Bench(QUIET).firmware])
    assert not (tmp_path / "camera.png").exists()

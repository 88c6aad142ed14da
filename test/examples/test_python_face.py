"""The examples in plain Python about the face, the camera and sound."""

from __future__ import annotations

import math
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.face import EXPRESSIONS, find, render
from cozmo_driver.media.audio_codec import SAMPLE_RATE
from cozmo_driver.media.display_codec import DisplayImage

from ..waiting import wait_until
from .programs import at, run

LONG_TORN = 33
"""Pictures, 15 in a second: some robots send torn ones for 1.8 to 2.5 s (spec 14)."""


@pytest.fixture
def emulator(request: pytest.FixtureRequest) -> Iterator[RunningEmulator]:
    world = World(load_layout(find_world("room")))
    options = getattr(request, "param", {})
    with running_emulator(calibration_time=0.0, world=world, **options) as emulator:
        yield emulator


def shown(emulator: RunningEmulator) -> list[DisplayImage]:
    """Return the pictures that the face showed, without those that repeat the one before."""
    pictures = [picture for _, picture in emulator.played_pictures() if picture.any()]
    return [
        picture
        for number, picture in enumerate(pictures)
        if not number or (picture != pictures[number - 1]).any()
    ]


def run_until_shown(
    emulator: RunningEmulator, count: int, name: str, *words: object
) -> list[DisplayImage]:
    """Return the pictures that an example shows; a busy computer may pass over some at first."""

    def pictures() -> list[DisplayImage]:
        emulator.call(lambda robot: robot.animation.recording.clear())
        run(name, *at(emulator), *words)
        found = shown(emulator)
        return found if len(found) == count else []

    found: list[DisplayImage] = wait_until(pictures, f"not {count} pictures")
    return found


def likeness(a: np.ndarray, b: np.ndarray) -> float:
    """Return how much two pictures are alike but for grain and lamps' bands, 1 for the same."""
    small = []
    for one in (a, b):
        levels = np.asarray(Image.fromarray(one).resize((64, 48), Image.Resampling.BOX), float)
        rows = levels.mean(axis=tuple(range(1, levels.ndim)), keepdims=True)
        small.append((levels / np.maximum(rows, 1e-3)).ravel())
    return float(np.corrcoef(*small)[0, 1])


@pytest.mark.parametrize("emulator", [{"torn_images": LONG_TORN}], indirect=True)
def test_take_picture_saves_what_the_robot_sees(emulator: RunningEmulator, tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    run("python/take_picture.py", *at(emulator), file)
    state = emulator.state()
    assert emulator.call(lambda robot: robot.camera.color)
    assert state.head_angle == pytest.approx(0.2, abs=0.03)
    taken = Image.open(file)
    assert (taken.mode, taken.size) == ("RGB", (320, 240))
    there = emulator.call(lambda robot: robot.camera.preview())
    assert likeness(np.asarray(taken), there) > 0.95


def test_video_on_face_mirrors_what_the_robot_sees(emulator: RunningEmulator) -> None:
    run("python/video_on_face.py", *at(emulator), "--pictures", 8)
    assert len(shown(emulator)) >= 4
    there = emulator.call(lambda robot: robot.camera.preview())
    seen = np.asarray(Image.fromarray(there[40:200]).resize((16, 8)))
    # Of 8 x 8 dithered pixels as many are lit as the place is bright.
    face = shown(emulator)[-1].reshape(8, 8, 16, 8).mean(axis=(1, 3))
    assert likeness(face, seen[:, ::-1]) > max(0.5, likeness(face, seen) + 0.1)


def test_show_picture_shows_a_file(emulator: RunningEmulator, tmp_path: Path) -> None:
    half = np.zeros((64, 128), np.uint8)
    half[:, :64] = 255
    Image.fromarray(half).save(tmp_path / "half.png")
    words = (tmp_path / "half.png", "--seconds", 0.5)
    [picture] = run_until_shown(emulator, 1, "python/show_picture.py", *words)
    # Every second row is dark, always.
    assert picture[:, :64].mean() == pytest.approx(0.5)
    assert not picture[:, 64:].any()


def test_moving_lines_move(emulator: RunningEmulator) -> None:
    run("python/moving_lines.py", *at(emulator), "--seconds", 0.8)
    pictures = shown(emulator)
    assert len(pictures) >= 10
    assert all(0 < picture.mean() < 0.2 for picture in pictures)


def test_draw_face_winks_and_looks_up(emulator: RunningEmulator) -> None:
    neutral, wink, up = run_until_shown(emulator, 3, "python/draw_face.py", "--seconds", 0.4)
    assert neutral[:, :64].sum() == pytest.approx(neutral[:, 64:].sum(), rel=0.05)
    assert wink[:, :64].sum() < wink[:, 64:].sum() / 2
    rows, columns = np.nonzero(up)
    assert rows.mean() < 32 - 3
    assert columns.mean() > 64 + 10


def test_expressions_shows_every_one(emulator: RunningEmulator) -> None:
    printed = run("python/expressions.py", *at(emulator), "--seconds", 0.1)
    assert printed.split() == [expression.name for expression in EXPRESSIONS]
    # On a busy machine some of them are gone before the robot has drawn them.
    assert len(shown(emulator)) > len(EXPRESSIONS) / 4


def test_render_face_draws_a_face_without_a_robot(tmp_path: Path) -> None:
    file = tmp_path / "face.png"
    run("python/render_face.py", "Happiness", file)
    drawn = np.asarray(Image.open(file).convert("L")) > 0
    assert (drawn[::4, ::4] == render(find("Happiness").face, parity=None)).all()


def test_play_sound_is_heard_whole_and_at_its_volume(
    emulator: RunningEmulator, tmp_path: Path
) -> None:
    file = tmp_path / "tone.wav"
    times = np.arange(0, 0.6, 1 / 16000)
    with wave.open(str(file), "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(16000)
        writer.writeframes((10000 * np.sin(times * math.tau * 500)).astype("<i2").tobytes())
    assert run("python/play_sound.py", *at(emulator), file) == "0.6 s played\n"
    # A computer that is held up may let the robot run dry: it goes on after a gap.
    heard = np.concatenate([one.samples for one in emulator.played_audio()]).astype(float)
    spectrum = np.abs(np.fft.rfft(heard))
    assert np.argmax(spectrum) * SAMPLE_RATE / len(heard) == pytest.approx(500, abs=5)
    assert np.count_nonzero(np.abs(heard) > 1000) / SAMPLE_RATE == pytest.approx(0.6, rel=0.1)
    volume = emulator.state().last_received["SetAudioVolume"]
    assert volume.volume == pytest.approx(0.75 * 65535, abs=1)


def test_play_animation_lists_names_and_nods(emulator: RunningEmulator) -> None:
    names = run("python/play_animation.py", *at(emulator), "--list").split()
    assert {"Nod", "Greeting", "anim_nod_01"} <= set(names)
    printed = run("python/play_animation.py", *at(emulator), "Nod")
    assert printed.startswith("played anim_nod")
    kinds = [type(one.message).__name__ for one in emulator.played_keyframes() if one.is_executed]
    assert kinds.count("HeadAngle") >= 2, kinds

"""A client that others wrote plays sounds and shows pictures on the emulator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.media.audio_codec import SAMPLE_RATE

from ..robot.sounds import audible, pitch, tone_file
from ..waiting import wait_until
from .test_pycozmo_client import connected_client, pycozmo

THEIR_RATE = 22050
"""They take the robot's rate for this, so that everything sounds 1.2 % too high."""


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    with running_emulator(calibration_time=0.0) as emulator:
        yield emulator


@pytest.fixture
def client(emulator: RunningEmulator) -> Iterator[Any]:
    with connected_client(emulator) as client:
        client.enable_animations()
        client.enable_procedural_face(False)
        emulator.wait_for(lambda s: s.animation.frames_played > 10)
        yield client


def test_its_sound_is_heard(client: Any, emulator: RunningEmulator, tmp_path: Path) -> None:
    client.play_audio(str(tone_file(tmp_path, 1.0, THEIR_RATE)))
    wait_until(
        lambda: len(samples := audible(emulator.played_audio()))
        and len(samples) > 0.9 * SAMPLE_RATE,
        "the sound",
    )
    samples = audible(emulator.played_audio())
    assert pitch(samples) == pytest.approx(440 * SAMPLE_RATE / THEIR_RATE, abs=4)


def test_its_pictures_are_shown(client: Any, emulator: RunningEmulator) -> None:
    image = pytest.importorskip("PIL.Image")
    rows = np.zeros((32, 128), np.uint8)
    rows[8:24, 20:40] = 255
    client.display_image(image.fromarray(rows).convert("1"))

    def shown() -> np.ndarray:
        picture = emulator.call(lambda firmware: firmware.display.picture)
        return (picture[0::2] | picture[1::2]) * 255

    wait_until(lambda: bool((shown() == rows).all()), "the picture")
    client.clear_screen()
    wait_until(lambda: not shown().any(), "a dark screen")


def test_its_way_to_cancel_leaves_the_emulator_playing(
    client: Any, emulator: RunningEmulator
) -> None:
    for _ in range(3):
        played = emulator.state().animation.frames_played
        client.cancel_anim()
        emulator.wait_for(lambda s, played=played: s.animation.frames_played > played + 15)
    assert emulator.state().animation.is_enabled


def test_a_burst_of_it_is_rejected_beyond_the_buffer(
    client: Any, emulator: RunningEmulator
) -> None:
    sound = pycozmo.protocol_encoder.OutputAudio(samples=bytes([0x30] * 744))
    for _ in range(40):
        client.conn.send(sound)
    emulator.wait_for(lambda s: s.animation.overflows > 0)
    played = emulator.state().animation.frames_played
    emulator.wait_for(lambda s: s.animation.frames_played > played + 30)

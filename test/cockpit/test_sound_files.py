"""A sound file of the user's, chosen in a real Chromium and heard by the emulated robot."""

from __future__ import annotations

import io
import re
import wave
from typing import Any

import numpy as np

from ..nodes.graph import wait_until
from .browser import page_fixture
from .conftest import Served

page = page_fixture(tab="Express")


def tone() -> bytes:
    """Return a WAV file of half a second."""
    samples = 9000 * np.sin(2 * np.pi * 440 * np.arange(11160) / 22320)
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(22320)
        sound.writeframes(samples.astype("<i2").tobytes())
    return file.getvalue()


def choose(page: Any, name: str, content: bytes) -> None:
    page.locator("input[type=file]").wait_for(state="attached")

    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("Play a sound file")).click()
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    chooser.value.set_files(file)


def is_heard(served: Served) -> bool:
    return any(np.abs(sound.samples).max() > 3000 for sound in served.emulator.played_audio())


def test_after_wrong_files_a_good_one_is_played(page: Any, served: Served) -> None:
    for name, content in (
        ("letter.txt", b"Dear robot"),
        ("broken.wav", b"no sound at all"),
        ("empty.ogg", b""),
        ("long.wav", bytes(10_500_000)),
    ):
        choose(page, name, content)
        page.locator(".cz-toast", has_text=name).first.wait_for()
        assert "/tmp" not in page.locator(".cz-toast", has_text=name).first.inner_text()
    assert not is_heard(served)
    choose(page, "my tone.wav", tone())
    wait_until(lambda: is_heard(served), "the robot plays nothing")
    served.emulator.call(lambda robot: robot.animation.recording.clear())
    choose(page, "my tone.wav", tone())
    wait_until(lambda: is_heard(served), "the robot plays it no second time")

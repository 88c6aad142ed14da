"""``say`` on the graph: what the emulated robot lets be heard and seen of a text."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cozmo_driver.media.speech import DEFAULT_COMMAND
from cozmo_interfaces.action import Say
from cozmo_interfaces.msg import Reason, RobotStatus

from ..media.engines import BEEP, PAUSE, PITCH, beeper, engine
from ..robot.sounds import pitch
from .conftest import World
from .goals import Action
from .sounds import audible, wait_for_silence

TEXT = "one two three"
SLEEP = "import time; time.sleep(600)"
DEFAULTS = {
    "speech_command": DEFAULT_COMMAND,
    "speech_voice": "en",
    "speech_pitch": 1.5,
    "speech_timeout": 20.0,
}


@pytest.fixture
def speaker(world: World, tmp_path: Path) -> Iterator[Action]:
    """Return a client; the driver speaks with a program that beeps once for each word."""
    wait_for_silence(world)
    world.emulator.call(lambda firmware: firmware.animation.recording.clear())
    assert not world.graph.set(**{**DEFAULTS, "speech_command": beeper(tmp_path)})
    yield Action(world.graph, Say, "say")
    assert not world.graph.set(**DEFAULTS)


@pytest.mark.covers("say", "speech_command", "speech_pitch")
def test_a_text_is_heard_and_the_eyes_move_with_it(world: World, speaker: Action) -> None:
    owners = world.graph.listen(RobotStatus, "status")
    goal = speaker.send(text=TEXT, rate=1.0, pitch=1.0)
    owners.wait_for(lambda status: status.face_owner == RobotStatus.OWNER_ANIMATION)
    end, result = goal.wait()
    assert (end, result.success, result.reason) == ("succeeded", True, Reason.NONE)
    duration = (3 * BEEP + 2 * PAUSE) / 1.5
    assert result.position == pytest.approx(duration + 0.06, abs=0.02)
    positions = [message.position for message in goal.feedback.messages]
    assert positions == sorted(positions)
    assert np.median(np.diff(positions)) == pytest.approx(0.1, abs=0.04)
    assert positions[-1] == goal.feedback.messages[-1].duration == pytest.approx(result.position)
    owners.wait_for(lambda status: status.face_owner == RobotStatus.OWNER_NONE)
    wait_for_silence(world)
    assert pitch(audible(world)) == pytest.approx(PITCH * 1.5, rel=0.01)
    heights = [int(one.any(axis=1).sum()) for _, one in world.emulator.played_pictures()]
    assert max(heights) > min(height for height in heights if height) + 3


@pytest.mark.covers("say")
def test_a_goal_that_makes_no_sense_is_aborted_with_the_reason(speaker: Action) -> None:
    for fields in (
        {"text": " "},
        {"text": "x", "rate": 3.0},
        {"text": "x", "pitch": float("nan")},
        {"text": "x", "voice": "-v"},
    ):
        end, result = speaker.do(**{"rate": 1.0, "pitch": 1.0, **fields})
        assert (end, result.reason) == ("aborted", Reason.INVALID)


@pytest.mark.covers("speech_command", "speech_timeout")
def test_a_program_that_is_missing_fails_or_hangs_is_told(
    world: World, speaker: Action, tmp_path: Path
) -> None:
    for command, timeout, reason in (
        ("parrot-that-is-not-there {wav}", 60.0, Reason.UNSUPPORTED),
        (engine(tmp_path, SLEEP), 1.0, Reason.TIMEOUT),
    ):
        assert not world.graph.set(speech_command=command, speech_timeout=timeout)
        end, result = speaker.do(text="hello", rate=1.0, pitch=1.0)
        assert (end, result.reason) == ("aborted", reason)
    assert not world.emulator.state().animation.is_playing


@pytest.mark.covers("speech_command", "speech_voice", "speech_pitch", "speech_timeout")
def test_parameters_that_make_no_sense_are_refused(world: World) -> None:
    for name, value in (
        ("speech_command", "say {text}"),
        ("speech_voice", "-v"),
        ("speech_pitch", 2.5),
        ("speech_timeout", 0.0),
    ):
        assert world.graph.set(**{name: value})


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_the_default_program_speaks(world: World, speaker: Action) -> None:
    assert not world.graph.set(speech_command=DEFAULT_COMMAND)
    end, result = speaker.do(text="Hello, I am Cozmo.", rate=1.0, pitch=1.0)
    assert end == "succeeded", result.message
    assert 0.5 < result.position < 5.0
    wait_for_silence(world)
    assert np.abs(audible(world).astype(int)).max() > 25000

"""Sound over a real socket, with the real threads."""

from __future__ import annotations

import asyncio
import threading

import pytest

from cozmo_driver.robot import Reason

from .hands import fails
from .sounds import audible, pitch, quiet_runs, tone, tone_file
from .test_session import connected, in_thread, robot_at, run


def test_a_file_and_a_live_sound_are_heard(tmp_path):
    path = tone_file(tmp_path, 1.0, 44100)
    received = []

    async def scenario(emulator):
        async with robot_at(emulator) as robot:
            await connected(robot)
            result = await robot.audio.play_file(path, on_progress=received.append)
            assert result.position == pytest.approx(1.0)
            assert pitch(audible(await in_thread(emulator.played_audio))) == pytest.approx(
                440, abs=2
            )
            await in_thread(emulator.call, lambda f: f.animation.recording.clear())
            robot.audio.stream.push(tone(16000, 1.0), 16000, is_last=True)
            await in_thread(emulator.wait_for, lambda s: s.animation.is_playing)
            await in_thread(emulator.wait_for, lambda s: not s.animation.is_playing)
            samples = audible(await in_thread(emulator.played_audio))
            assert pitch(samples) == pytest.approx(440, abs=2)
            assert quiet_runs(samples) == 0

    state = run(scenario)
    assert len(received) == 30
    assert state.animation.overflows == 0


def test_a_cancelled_file_leaves_no_thread_and_no_sound(tmp_path):
    path = tone_file(tmp_path, 30.0)

    async def scenario(emulator):
        async with robot_at(emulator) as robot:
            await connected(robot)
            started = asyncio.Event()
            playing = asyncio.ensure_future(
                robot.audio.play_file(path, on_progress=lambda _: started.set())
            )
            await asyncio.wait_for(started.wait(), 30)
            readers = [t for t in threading.enumerate() if t.name.startswith("cozmo-sound")]
            assert len(readers) == 1
            playing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await playing
            await in_thread(readers[0].join, 30)
            assert not readers[0].is_alive()
            await in_thread(
                emulator.wait_for,
                lambda s: not s.animation.is_playing and not s.animation.frames_buffered,
            )
            playing = asyncio.ensure_future(robot.audio.play_file(path))
        with fails(Reason.NOT_CONNECTED):
            await playing

    run(scenario)

"""Sound over a real socket, with the real threads."""

from __future__ import annotations

import asyncio
import threading

import pytest

from cozmo_driver.robot import Reason

from .hands import fails
from .sounds import tone_file
from .test_session import connected, in_thread, robot_at, run


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

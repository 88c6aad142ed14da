"""A clip over a real socket that loses datagrams, with the real threads."""

from __future__ import annotations

import asyncio
import random
from types import SimpleNamespace

import pytest

from cozmo_driver.animation import Player
from cozmo_driver.emulator import running_emulator

from ..robot.test_session import connected, in_thread, robot_at
from .clips import Tones, library, whole_clip
from .test_player import assert_in_order, assert_plays, expected_frames


@pytest.mark.parametrize("loss", [0.1])
def test_the_robot_plays_every_frame_as_it_was_made(tmp_path, loss):
    clip = whole_clip(frames=60)
    assets = library(tmp_path, clip)

    async def scenario(emulator):
        async with robot_at(emulator) as robot:
            await connected(robot)
            result = await Player(robot, assets, Tones(), random.Random(1)).play("anim_whole")
            assert result.left_out == {}
            await in_thread(emulator.wait_for, lambda s: not s.animation.is_playing)

    def check(firmware):
        seen = SimpleNamespace(firmware=firmware)
        assert_plays(seen, expected_frames(clip))
        assert_in_order(seen)

    with running_emulator(calibration_time=0.0, loss=loss) as emulator:
        asyncio.run(scenario(emulator))
        emulator.call(check)
        played = emulator.state().animation
        assert played.overflows == played.corrupt == played.dropped == 0

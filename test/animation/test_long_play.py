"""Clips for minutes: the robot's buffer never runs over and never runs dry."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.resources.clips import AnimationClip

from ..robot.sounds import lose, truth
from ..robot.virtual import in_virtual_time
from .clips import face, group, player, whole_clip

SECONDS = 60.0
CLOCK = 0.99
"""How fast robots play, by the host's clock: more than their buffer holds is too much by then."""


def busy(name):
    """A clip whose face changes in every frame."""
    return AnimationClip(
        name, procedural_face=tuple(face(330 * n, (-1) ** n * 12.0) for n in range(10))
    )


async def watch(world, seconds):
    """Look at the robot's buffer until the time is over; return the most bytes it held."""
    most = 0
    end = world.loop.time() + seconds
    while world.loop.time() < end:
        state = truth(world)
        assert state.starvations == state.overflows == state.corrupt == state.dropped == 0
        most = max(most, state.bytes_buffered)
        await world.pass_time(0.05)
    return most


@in_virtual_time({"audio_clock": CLOCK})
async def test_a_minute_of_loops_neither_overfill_nor_starve_the_robot(world, tmp_path):
    playing = player(world, tmp_path, whole_clip("loop"))
    received = []
    task = asyncio.ensure_future(playing.play("loop", loops=0, on_progress=received.append))
    await world.until(lambda: received)
    most = await watch(world, SECONDS)
    task.cancel()
    assert 2000 < most <= 8192
    assert received[-1].loop + received[-1].position == pytest.approx(SECONDS * CLOCK, rel=0.002)


@in_virtual_time()
async def test_a_group_of_busy_clips_keeps_the_robot_fed_at_three_percent_loss(world, tmp_path):
    lose(world, 0.03)
    names = ("one", "two")
    playing = player(world, tmp_path, *(busy(name) for name in names), groups={"ag": group(*names)})
    received = []
    task = asyncio.ensure_future(playing.play("ag", loops=0, on_progress=received.append))
    await world.until(lambda: received)
    await watch(world, 30.0)
    task.cancel()
    assert received[-1].loop >= 7

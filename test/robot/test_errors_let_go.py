"""What ended early is freed when the last one lets go of it, not when a collector comes by."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from cozmo_driver.robot import Actuator, Frame, FrameStream, Owner, Playback, Reason, RobotError

from .virtual import in_virtual_time


@pytest.fixture
def no_collector():
    gc.disable()
    yield
    gc.enable()


async def reason_of(work: Coroutine[Any, Any, object]) -> Reason:
    try:
        await work
    except RobotError as error:
        return error.reason
    raise AssertionError("it did not end early")


@pytest.mark.parametrize(
    "end",
    [
        lambda actuator: actuator.abort(Reason.LINK_LOST, "the link to the robot ended"),
        lambda actuator: actuator.claim(Owner.TOPIC, "cmd_vel", lambda: None),
    ],
    ids=["aborted", "taken over"],
)
def test_a_movement_that_ended_early_is_freed_at_once(
    no_collector: None, end: Callable[[Actuator], object]
) -> None:
    async def scenario() -> None:
        actuator = Actuator("head")
        claim = actuator.claim(Owner.ACTION, "move_head", lambda: None)
        end(actuator)
        assert await reason_of(claim.next_state()) in (Reason.LINK_LOST, Reason.SUPERSEDED)
        remains = weakref.ref(claim)
        del claim
        assert remains() is None

    asyncio.run(scenario())


class _Silence:
    def is_ready(self, now: float) -> bool:
        return True

    def next_frame(self, now: float) -> Frame:
        return Frame()


@in_virtual_time()
async def test_a_playback_that_ended_early_is_freed_at_once(world, no_collector) -> None:
    stream: FrameStream = world.robot.frames
    source = _Silence()
    playback: Playback = stream.play(source)
    await asyncio.sleep(0.5)
    world.wire.is_cut = True
    assert await reason_of(playback.finished()) is Reason.LINK_LOST
    remains = weakref.ref(playback), weakref.ref(source)
    del playback, source
    await asyncio.sleep(0)
    assert [remain() for remain in remains] == [None, None]

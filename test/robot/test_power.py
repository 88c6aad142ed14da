"""Switching the emulated robot off, in virtual time."""

from __future__ import annotations

import asyncio

from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.protocol.messages import ShutdownRobot, StopAllMotors
from cozmo_driver.robot import Cause, Phase, Reason, Refused, StorageOptions

from .hands import fails
from .virtual import in_virtual_time

QUICK = {"calibration_time": 0.0}


@in_virtual_time(QUICK, allow_power_off=True)
async def test_the_robot_stands_then_switches_off_and_is_left_alone(world):
    await world.until(lambda: world.robot.state)
    world.robot.motion.drive(0.1, 0.0)
    await world.until(lambda: world.firmware.wheels.moving)
    world.wire.log.clear()
    await world.robot.power.off()
    assert world.firmware.session.is_off
    assert not world.firmware.wheels.moving
    assert world.wire.received(StopAllMotors, ShutdownRobot)[:2] == [
        StopAllMotors(),
        ShutdownRobot((0,) * 8),
    ]
    state = world.robot.session_state
    assert (state.phase, state.cause) == (Phase.DISCONNECTED, Cause.REQUESTED)
    assert "call connect" in state.text
    world.wire.restart()
    await world.pass_time(30.0)
    assert world.firmware.core.sessions == 0
    await world.robot.start()
    await world.connected()


@in_virtual_time(QUICK)
async def test_without_permission_nothing_is_sent(world):
    with fails(Reason.NOT_ALLOWED, Refused):
        await world.robot.power.off()
    await world.pass_time(5.0)
    assert world.wire.received(ShutdownRobot) == []
    assert world.robot.session_state.phase is Phase.CONNECTED


@in_virtual_time(QUICK, allow_power_off=True)
async def test_a_robot_that_stays_on_is_said_to_be_on_and_stays_connected(world):
    world.firmware.session.ignores_shutdown = True
    with fails(Reason.ROBOT_ERROR):
        await world.robot.power.off()
    assert world.robot.session_state.phase is Phase.CONNECTED
    assert world.robot.session_state.connections == 1
    world.robot.motion.drive(0.1, 0.0)
    await world.until(lambda: world.firmware.wheels.moving)


@in_virtual_time(QUICK, allow_power_off=True)
async def test_a_robot_that_is_gone_before_it_confirms_may_be_on(world):
    world.wire.is_cut = True
    with fails(Reason.LINK_LOST):
        await world.robot.power.off()
    assert world.robot.session_state.phase is Phase.DISCONNECTED


@in_virtual_time(QUICK, allow_power_off=True, storage=StorageOptions(allow_write=True))
async def test_an_entry_that_is_being_changed_is_changed_to_the_end_while_the_robot_stands(world):
    album, content = NVEntryTag.FACE_ALBUM_DATA, bytes(range(256)) * 255
    writing = asyncio.ensure_future(world.robot.storage.write(album, content, f"{int(album):#x}"))
    world.robot.motion.drive(0.1, 0.0)
    await world.until(
        lambda: world.firmware.storage.written_blocks >= 3 and world.firmware.wheels.moving
    )
    going_off = asyncio.ensure_future(world.robot.power.off())
    await world.until(lambda: not world.firmware.wheels.moving)
    assert not writing.done()
    for move in (lambda: world.robot.motion.drive(0.1, 0.0), world.robot.motion.check):
        with fails(Reason.BUSY, Refused):
            move()
    await going_off
    assert (await writing).changed
    assert world.firmware.storage.get(album) == content
    assert world.firmware.session.is_off

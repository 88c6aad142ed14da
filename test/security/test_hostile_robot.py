"""What somebody can do who sends as the robot: forged states, stamps, descriptions, replays."""

from __future__ import annotations

import json
import math

import pytest

from cozmo_driver.media.image_assembler import ImageAssembler
from cozmo_driver.protocol import MessageReceived, messages
from cozmo_driver.protocol.structs import RobotPose
from cozmo_driver.robot import Cause, StartError
from cozmo_driver.robot.identity import _description

from ..media.test_image_assembler import chunks
from ..protocol.network import STATE, client_and_server
from ..robot.virtual import in_virtual_time

FORGED = {
    "not a number": {"pose": RobotPose(math.nan, 0.0, 0.0, 0.0, 0.0)},
    "infinite": {"lwheel_speed_mmps": math.inf},
    "absurd": {"head_angle": 1e38},
    "volts": {"battery_voltage": 1e30},
    "no volts": {"battery_voltage": math.nan},
}


def forged(world, **changes) -> None:
    """Let a changed copy of the robot's latest state arrive."""
    session = world.robot.session
    latest = session.received[messages.RobotState]
    changes.setdefault("timestamp", latest.timestamp + 1)
    session.handle_event(MessageReceived(latest._replace(**changes), True), world.loop.time())


@pytest.mark.parametrize("kind", FORGED)
@in_virtual_time({"calibration_time": 0.0})
async def test_an_impossible_state_changes_nothing(world, kind):
    await world.pass_time(1.0)
    robot = world.robot
    before = robot.odometry, robot.battery, robot.state
    forged(world, **FORGED[kind])
    assert (robot.odometry, robot.battery, robot.state) == before
    states = robot.state_tracker.received
    await world.pass_time(1.0)
    assert robot.state_tracker.received > states + 20
    assert robot.battery.filtered_voltage < 5.0


@in_virtual_time({"calibration_time": 0.0})
async def test_a_stamp_from_the_end_of_time_does_not_silence_the_robot(world):
    await world.pass_time(1.0)
    states = world.robot.state_tracker.received
    forged(world, timestamp=0xFFFFFFFF)
    await world.pass_time(1.0)
    assert world.robot.state_tracker.received > states + 20
    assert world.loop.time() - world.robot.state.time < 0.1


@in_virtual_time({"calibration_time": 0.0})
async def test_a_clock_that_really_jumped_is_followed_after_a_second(world):
    await world.pass_time(1.0)
    robot = world.robot
    world.wire.is_lost = lambda datagram: True
    for number in range(60):
        forged(world, timestamp=100_000_000 + 30 * number)
        await world.pass_time(0.03)
    assert robot.state.robot_time == pytest.approx(100_000 + 59 * 0.03)
    assert world.loop.time() - robot.state.time < 0.1


def test_an_image_from_the_end_of_time_does_not_end_the_stream() -> None:
    assembler = ImageAssembler()
    (last,) = chunks(1, b"x", timestamp=0xFFFFFFFF)
    assert assembler.add(last) is not None
    shown = [assembler.add(*chunks(n, b"x", timestamp=1000 + 66 * n)) for n in range(2, 40)]
    assert shown[0] is None
    assert all(image is not None for image in shown[20:])


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000,
        '{"version": Infinity}',
        '{"version": 1e999}',
        '{"version": "x"}',
        "[]",
        json.dumps({"version": [1]}),
    ],
)
def test_a_description_that_makes_no_sense_ends_the_attempt_with_a_reason(text: str) -> None:
    with pytest.raises(StartError, match="firmware description cannot be read") as error:
        _description(text)
    assert error.value.cause is Cause.FIRMWARE
    assert len(str(error.value)) < 200


def test_a_session_that_is_replayed_brings_nothing_twice() -> None:
    network = client_and_server()
    for volume in range(5):
        network.robot.connection.send(messages.AnimationEnded(volume), network.now)
    network.robot.connection.send(STATE, network.now)
    network.run(1.0)
    reliable = [m for m in network.engine.messages if isinstance(m, messages.AnimationEnded)]
    assert len(reliable) == 5
    for _, datagram in list(network.robot.sent):
        network.inject(network.engine, datagram)
    network.run(0.5)
    again = [m for m in network.engine.messages if isinstance(m, messages.AnimationEnded)]
    assert again == reliable
    assert network.engine.connection.statistics.duplicates >= 5

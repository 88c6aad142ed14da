"""What makes a program short: ``connect``, ``run_program``, signals that are awaited."""

from __future__ import annotations

import asyncio
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator

import pytest

from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.robot import (
    CameraOptions,
    Phase,
    Reason,
    Refused,
    Robot,
    RobotError,
    Signal,
    connect,
    run_program,
)


@pytest.fixture(scope="module")
def emulator() -> Iterator[RunningEmulator]:
    with running_emulator(calibration_time=0.0) as emulator:
        yield emulator


@pytest.fixture
def address(emulator: RunningEmulator, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the robot is, which the command line names, too."""
    where = f"{emulator.host}:{emulator.port}"
    monkeypatch.setattr(sys, "argv", ["program", "--robot", where])
    return where


def test_a_block_begins_with_the_first_state_and_ends_with_a_goodbye(
    emulator: RunningEmulator, address: str
) -> None:
    async def program() -> Robot:
        async with connect(address, volume=0.5) as robot:
            assert robot.session_state.phase is Phase.CONNECTED
            assert robot.state is not None
            assert robot.options.volume == 0.5
            robot.motion.drive(0.05, 0.0)
            await robot.on_state.next(lambda state: state.left_wheel_speed > 0.02)
            return robot

    robot = asyncio.run(program())
    assert robot.session_state.phase is Phase.DISCONNECTED
    emulator.wait_for(lambda now: not now.connected and now.left_speed == now.right_speed == 0.0)


def test_without_a_robot_a_block_does_not_begin() -> None:
    async def program() -> None:
        async with connect("127.0.0.1:1"):
            raise AssertionError("it has begun")

    with pytest.raises(RobotError, match=r"127\.0\.0\.1:1: the robot does not answer"):
        asyncio.run(program())


def test_a_port_that_is_no_number_is_refused() -> None:
    async def program() -> None:
        async with connect("127.0.0.1:robot"):
            raise AssertionError("it has begun")

    with pytest.raises(ValueError, match=r"'127\.0\.0\.1:robot' is no address of a robot"):
        asyncio.run(program())


def test_a_program_is_given_its_own_arguments_by_name(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--speed", "3"])
    parser = ArgumentParser()
    parser.add_argument("--speed", type=int)
    given = []

    async def main(robot: Robot, speed: int) -> None:
        given.append((robot.session_state.phase, speed))

    run_program(main, parser)
    assert given == [(Phase.CONNECTED, 3)]


@pytest.mark.usefixtures("address")
def test_what_happens_to_a_program_is_told_in_a_line() -> None:
    async def main(_: Robot) -> None:
        raise Refused(Reason.ESTOP, "the emergency stop is latched")

    with pytest.raises(SystemExit, match="program: the emergency stop is latched"):
        run_program(main)


@pytest.mark.usefixtures("address")
def test_a_second_signal_does_not_interrupt_the_goodbye() -> None:
    left = []

    async def main(robot: Robot) -> None:
        signal.raise_signal(signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        finally:
            signal.raise_signal(signal.SIGTERM)
            for _ in range(2):
                await robot.on_state.next()
            left.append(robot)

    run_program(main)
    assert [robot.session_state.phase for robot in left] == [Phase.DISCONNECTED]


@pytest.mark.usefixtures("address")
def test_a_mistake_in_a_program_is_not_hidden() -> None:
    async def main(_: Robot) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_program(main)


def test_a_picture_is_decoded_as_it_is_seen(address: str) -> None:
    async def program(is_color: bool) -> tuple[tuple[int, ...], str, bool]:
        async with connect(address, camera=CameraOptions(color=is_color)) as robot:
            pixels = (await robot.on_image.next()).pixels()
            return pixels.shape, str(pixels.dtype), bool(pixels.any())

    assert asyncio.run(program(False)) == ((240, 320), "uint8", True)
    assert asyncio.run(program(True)) == ((240, 320, 3), "uint8", True)


def test_the_next_value_of_a_signal_is_awaited_and_then_left_alone() -> None:
    values: Signal[int] = Signal()

    async def program() -> int:
        waiting = asyncio.create_task(values.next(lambda value: value > 2))
        await asyncio.sleep(0)
        for value in (1, 2, 3, 4):
            values.emit(value)
        return await waiting

    assert asyncio.run(program()) == 3
    assert not values._callbacks


def test_waiting_for_a_value_that_is_cancelled_leaves_nothing() -> None:
    values: Signal[int] = Signal()

    async def program() -> None:
        waiting = asyncio.create_task(values.next())
        await asyncio.sleep(0)
        assert values._callbacks
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(program())
    assert not values._callbacks

"""The examples in plain Python that move the robot, ask it, or speak to it without one's help."""

from __future__ import annotations

import math
import os
import pty
import re
from collections.abc import Callable, Iterator

import pytest

from cozmo_driver.emulator import (
    EmulatorState,
    Identity,
    Pose2D,
    Posture,
    RunningEmulator,
    running_emulator,
)
from cozmo_driver.emulator.world import Layout, World
from cozmo_driver.protocol import DisconnectReason
from cozmo_driver.protocol.enums import NVOperation

from ..waiting import wait_until
from .programs import EXAMPLES, Watch, at, run, started


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    with running_emulator(calibration_time=0.0) as emulator:
        yield emulator


def test_minimal_says_who_the_robot_is_and_leaves_it(emulator: RunningEmulator) -> None:
    assert f"{Identity().head_serial:08x}, firmware 2457" in run("python/minimal.py", *at(emulator))
    state = emulator.wait_for(lambda now: not now.connected)
    assert (state.sessions, state.last_disconnect) == (1, DisconnectReason.REMOTE)


def test_head_and_lift_go_to_their_ends(emulator: RunningEmulator) -> None:
    def look(emulator: RunningEmulator) -> tuple[float, float]:
        state = emulator.state()
        return state.head_angle, state.lift_height

    with Watch(emulator, look) as seen:
        run("python/head_and_lift.py", *at(emulator))
    heads, lifts = zip(*seen, strict=True)
    assert max(heads) == pytest.approx(0.777, abs=0.03)
    assert min(heads) == pytest.approx(-0.436, abs=0.03)
    state = emulator.state()
    assert state.head_angle == pytest.approx(0.0, abs=0.03)
    assert max(lifts) == pytest.approx(92, abs=2)
    assert state.lift_height == pytest.approx(32, abs=2)


def test_go_to_pose_arrives(emulator: RunningEmulator) -> None:
    run("python/go_to_pose.py", *at(emulator), "--x", 0.1, "--y", 0.04, "--degrees", 30)
    pose = emulator.truth().pose
    assert math.dist((pose.x, pose.y), (0.1, 0.04)) < 0.015
    assert math.degrees(pose.yaw) == pytest.approx(30, abs=6)


def test_dock_charger_leaves_it_and_comes_back() -> None:
    world = World(
        Layout(charger=Pose2D(-30.0, 0.0, math.pi), robots=(Pose2D(-60.0, 0.0, 0.0),)), ideal=True
    )
    with running_emulator(calibration_time=0.0, ideal=True, world=world) as emulator:
        printed = run("python/dock_charger.py", *at(emulator), "--blind")
        assert "off it, and back\nattempt 1: looking\nattempt 1: driving" in printed
        assert emulator.call(lambda firmware: firmware.battery.on_charger)


def test_follow_path_drives_a_square(emulator: RunningEmulator) -> None:
    side = 0.1

    def look(emulator: RunningEmulator) -> tuple[float, float]:
        pose = emulator.truth().pose
        return pose.x, pose.y

    with Watch(emulator, look) as way:
        printed = run("python/follow_path.py", *at(emulator), "--side", side, "--speed", 0.2)
    corners = [(side, 0.0), (side, side), (0.0, side), (0.0, 0.0)]
    passed = [min(range(len(way)), key=lambda i: math.dist(way[i], c)) for c in corners[:3]]
    assert passed == sorted(passed)
    assert all(math.dist(way[i], c) < 0.025 for i, c in zip(passed, corners, strict=False))
    pose = emulator.truth().pose
    assert math.hypot(pose.x, pose.y) < 0.02
    assert pose.yaw == pytest.approx(0.0, abs=0.1)
    assert re.search(r"segment (\d+) of \1 is done", printed)


def test_imu_tells_how_the_robot_lies(emulator: RunningEmulator) -> None:
    emulator.call(lambda robot: robot.handling.put(Posture.LEFT))
    lines = run("python/imu.py", *at(emulator), "--count", 60).splitlines()
    assert len(lines) == 60
    assert lines[-1].endswith("on_left_side")
    # It feels what holds it up: to its right, which is above.
    _, y, _ = re.search(r"acceleration (.*) m/s", lines[-1])[1].split()
    assert float(y) == pytest.approx(-9.8, abs=1.5)


def test_read_storage_reads_the_calibration_and_writes_nothing(emulator: RunningEmulator) -> None:
    printed = run("python/read_storage.py", *at(emulator))
    assert "56 bytes: focal lengths 294.7 294.9, centre 143.2 117.5 pixels" in printed
    assert emulator.state().last_received["NVCommand"].op == NVOperation.READ


def test_drive_by_keys_does_what_the_keys_say(emulator: RunningEmulator) -> None:
    keyboard, terminal = pty.openpty()
    try:
        with started("python/drive_by_keys.py", *at(emulator), stdin=terminal) as program:
            program.wait_for("w a s d")

            def hold(key: bytes, holds: Callable[[EmulatorState], bool]) -> None:
                def is_done() -> bool:
                    os.write(keyboard, key)
                    return holds(emulator.state())

                wait_until(is_done, f"{key!r} does nothing")

            hold(b"w", lambda now: now.left_speed > 50 and now.right_speed > 50)
            emulator.wait_for(lambda now: now.left_speed == now.right_speed == 0)
            hold(b"a", lambda now: now.left_speed < 0 < now.right_speed)
            before = emulator.state().head_angle
            hold(b"r", lambda now: now.head_angle > before + 0.01)
            os.write(keyboard, b"q")
            program.end()
    finally:
        os.close(keyboard)
        os.close(terminal)


def test_raw_messages_arrive_all(emulator: RunningEmulator) -> None:
    run("python/raw_messages.py", *at(emulator))
    state = emulator.wait_for(lambda now: not now.connected)
    assert state.received["SetAudioVolume"] == 100
    assert state.last_received["SetAudioVolume"].volume == 99


def test_emulated_robot_is_one() -> None:
    with started("python/emulated_robot.py", "--port", 0) as program:
        where = program.wait_for("listening on").split()[-1]
        run("python/minimal.py", "--robot", where)
        program.wait_for("gone after these messages", "Enable")


def test_every_example_is_run() -> None:
    tests = "".join(path.read_text() for path in EXAMPLES.parent.glob("test/*/test_*.py"))
    examples = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.glob("*/*.py")}
    assert {name for name in examples if f'"{name}"' not in tests} == set()
    index = (EXAMPLES / "README.md").read_text()
    assert {name for name in examples if f"({name})" not in index} == set()


def test_examples_say_how_they_are_run_on_ubuntu() -> None:
    """It has ``python3`` only, and cv_bridge is no part of what ROS 2 needs itself."""
    index = EXAMPLES / "README.md"
    files = [index, *EXAMPLES.glob("*/*.py")]
    commands = [re.findall(r"^ *(python3?) examples/", file.read_text(), re.M) for file in files]
    assert {one for found in commands for one in found} == {"python3"}
    rows = [line for line in index.read_text().splitlines() if line.startswith("| [")]
    for file in files[1:]:
        if "import CvBridge" in file.read_text():
            (row,) = (row for row in rows if f"({file.relative_to(EXAMPLES)})" in row)
            assert "-cv-bridge" in row

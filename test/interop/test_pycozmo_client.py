"""A client that others wrote, PyCozmo 0.8.0, drives the emulator."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.protocol import DisconnectReason

from ..waiting import TIMEOUT, wait_until

if sys.version_info >= (3, 13):
    pytest.skip(
        "PyCozmo 0.8.0 needs the module 'chunk', which Python 3.13 removed", allow_module_level=True
    )
pycozmo: Any = pytest.importorskip("pycozmo", reason="PyCozmo 0.8.0 is not installed")


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    with running_emulator(ideal=True) as emulator:
        yield emulator


@contextmanager
def connected_client(emulator: RunningEmulator) -> Iterator[Any]:
    client = pycozmo.Client(robot_addr=(emulator.host, emulator.port))
    client.start()
    # Its own wait may begin too late, and is short.
    ready = threading.Event()
    client.add_handler(pycozmo.event.EvtRobotReady, lambda *_: ready.set())
    try:
        client.connect()
        assert ready.wait(TIMEOUT), "the client is never ready"
        yield client
    finally:
        client.disconnect()
        client.stop()


@pytest.fixture
def client(emulator: RunningEmulator) -> Iterator[Any]:
    with connected_client(emulator) as client:
        wait_until(lambda: client.battery_voltage > 0, "the first state")
        yield client


def test_it_learns_who_the_robot_is(client: Any) -> None:
    assert client.robot_fw_sig["version"] == 2457
    assert client.serial_number
    assert client.serial_number_head
    assert client.body_hw_version == 5


def test_it_gets_a_state_in_each_30_ms_of_robot_time(client: Any) -> None:
    stamps: list[int] = []
    client.add_handler(
        pycozmo.protocol_encoder.RobotState, lambda _, state: stamps.append(state.timestamp)
    )
    events: list[object] = []
    client.add_handler(pycozmo.event.EvtRobotStateUpdated, lambda *_: events.append(1))
    wait_until(lambda: len(stamps) > 99 and len(events) > 99, "100 states")
    # A busy client loses some, and a busy emulator's clock passes over what it slept through.
    assert median(after - before for before, after in pairwise(stamps[:100])) == 30


def test_it_gets_15_pictures_in_a_second_of_robot_time(client: Any) -> None:
    stamps: dict[int, int] = {}

    def on_chunk(_: Any, chunk: Any) -> None:
        # Only the last chunk of an image has its stamp.
        if chunk.frame_timestamp:
            stamps[chunk.image_id] = chunk.frame_timestamp

    client.add_handler(pycozmo.protocol_encoder.ImageChunk, on_chunk)
    pictures: list[Any] = []
    client.add_handler(
        pycozmo.event.EvtNewRawCameraImage, lambda _, picture: pictures.append(picture)
    )
    client.enable_camera()
    wait_until(lambda: len(pictures) > 45, "46 pictures")
    # By what the robot says of each: this client loses some while the computer is busy, and the
    # robot's clock passes over what its computer slept through.
    shown = sorted(stamps.items())
    periods = [(b - a) / (j - i) for (i, a), (j, b) in pairwise(shown)]
    assert 1000 / min(periods) == pytest.approx(15.0, rel=0.02), periods
    assert {picture.size for picture in pictures} == {(320, 240)}
    low, high = pictures[-1].convert("L").getextrema()
    assert high - low > 100


def test_it_gets_colour_pictures(client: Any) -> None:
    pictures: list[Any] = []
    client.add_handler(
        pycozmo.event.EvtNewRawCameraImage, lambda _, picture: pictures.append(picture)
    )
    client.enable_camera(color=True)

    def colourful() -> bool:
        red, _, blue = pictures[-1].split() if pictures else (None, None, None)
        return bool(pictures) and red.tobytes() != blue.tobytes()

    wait_until(colourful, "a colour picture")
    assert pictures[-1].size == (320, 240)


def test_it_drives_the_wheels(client: Any, emulator: RunningEmulator) -> None:
    client.drive_wheels(50, 50)
    emulator.wait_for(lambda s: s.pose.x > 50)
    client.stop_all_motors()
    emulator.wait_for(lambda s: not s.left_speed and not s.right_speed)
    wait_until(lambda: not client.robot_moving, "the client knows that the wheels stand")
    # The robot counts in steps of 0.061 mm, and one of them back at the end.
    wait_until(
        lambda: abs(client.pose.position.x - emulator.state().pose.x) < 0.13, "the last pose"
    )
    assert abs(emulator.state().pose.y) < 0.01


def test_it_moves_head_and_lift(client: Any, emulator: RunningEmulator) -> None:
    client.set_head_angle(0.3)
    client.set_lift_height(60.0)
    # They end a little short of and beyond their targets.
    emulator.wait_for(lambda s: abs(s.head_angle - 0.3) < 5e-3 and abs(s.lift_height - 60) < 1.5)
    wait_until(lambda: abs(client.head_angle.radians - 0.3) < 0.01, "the head angle")


def test_it_hears_of_the_cubes(client: Any) -> None:
    wait_until(lambda: len(client.available_objects) == 3, "three cubes")


def test_it_disconnects_and_connects_again(client: Any, emulator: RunningEmulator) -> None:
    client.disconnect()
    state = emulator.wait_for(lambda s: not s.connected)
    assert state.last_disconnect is DisconnectReason.REMOTE
    with connected_client(emulator) as again:
        assert again.robot_fw_sig["version"] == 2457
        assert emulator.state().sessions == 2

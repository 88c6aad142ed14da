"""The façade for programs of PyCozmo, with an emulated robot (spec 21 §10)."""

from __future__ import annotations

import threading
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest

from cozmo_driver.compat.pycozmo import event
from cozmo_driver.compat.pycozmo.client import Client
from cozmo_driver.compat.pycozmo.exception import ConnectionTimeout
from cozmo_driver.compat.pycozmo.util import Angle, Pose, get_cozmo_anim_dir
from cozmo_driver.emulator import Identity, RunningEmulator, running_emulator
from cozmo_driver.robot import Owner, Pose2D, Reason, RobotError, data_directory
from cozmo_driver.robot.calibration import (
    Measurement,
    RobotCalibration,
    calibration_path,
    save_robot_calibration,
)

from .silence import silence


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    with running_emulator(calibration_time=0.0, ideal=True) as emulator:
        yield emulator


@pytest.fixture
def client(emulator: RunningEmulator) -> Iterator[Client]:
    client = Client((emulator.host, emulator.port))
    client.start()
    yield client
    client.disconnect()
    client.stop()


def test_a_client_that_disconnects_is_not_ready_any_more(client: Client) -> None:
    told: list[int] = []
    client.add_handler(event.EvtRobotReady, lambda *_: told.append(1))  # type: ignore[attr-defined]
    client.connect()
    client.wait_for_robot(60.0)
    client.disconnect()
    # It ends when the handlers have had everything.
    client.stop()

    assert told == [1]
    with pytest.raises(ConnectionTimeout):
        client.wait_for_robot(0.0)


def test_clips_are_known_without_a_connection_and_with_the_folder_that_old_versions_took() -> None:
    client = Client()
    client.load_anims(str(get_cozmo_anim_dir()))

    assert client.get_anim_names()
    assert client.animation_groups


def test_why_a_sound_is_not_played_is_logged(
    client: Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = tmp_path / "sound.wav"
    with wave.open(str(file), "wb") as sound:
        sound.setparams((1, 2, 22050, 0, "NONE", ""))
        sound.writeframes(bytes(2000))

    async def fail(_: str) -> None:
        raise RobotError(Reason.BUSY, "something else is heard")

    completed = threading.Event()
    client.add_handler(event.EvtAudioCompleted, lambda *_: completed.set())  # type: ignore[attr-defined]
    client.connect()
    monkeypatch.setattr(client.conn.engine.robot.audio, "play_file", fail)
    client.play_audio(str(file))

    assert completed.wait(60.0)
    assert "something else is heard" in caplog.text


def test_going_to_a_pose_returns_however_its_path_ends_unless_the_robot_is_gone(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ends = iter((RobotError(Reason.CLIFF, "an edge"), RobotError(Reason.LINK_LOST, "it is gone")))

    async def follow(_: object) -> None:
        raise next(ends)

    client.connect()
    monkeypatch.setattr(client.conn.engine.robot.paths, "follow", follow)
    there = Pose(200, 100, 0, angle_z=Angle(degrees=0))
    client.go_to_pose(there)

    assert "go_to_pose: an edge" in caplog.text
    with pytest.raises(RobotError, match="it is gone"):
        client.go_to_pose(there)


def test_a_pose_at_which_the_robot_stands_is_only_turned_to(
    client: Client, emulator: RunningEmulator
) -> None:
    client.connect()
    before = emulator.state().received
    client.go_to_pose(Pose(-4, 0, 0, angle_z=Angle(degrees=0)), relative_to_robot=True)
    after = emulator.state().received

    assert after["AppendPathSegmentPointTurn"] > before.get("AppendPathSegmentPointTurn", 0)
    assert after.get("AppendPathSegmentLine", 0) == before.get("AppendPathSegmentLine", 0)


def test_a_robot_that_was_driven_stands_when_it_comes_back_in_a_new_session(
    client: Client, emulator: RunningEmulator
) -> None:
    client.connect()
    robot = client.conn.engine.robot
    client.drive_wheels(50, 50)
    emulator.wait_for(lambda now: now.left_speed > 40)
    with silence(emulator):
        emulator.wait_for(lambda now: now.left_speed == 0)
        emulator.restart()
    while robot.session_state.connections < 2 or not robot.session.is_ready:
        client.wait_for(event.EvtRobotStateUpdated, 60.0)  # type: ignore[attr-defined]
    client.wait_for(event.EvtRobotStateUpdated, 60.0)  # type: ignore[attr-defined]

    assert robot.motion.wheels.owner is Owner.NONE


@pytest.fixture
def turn_scale() -> Iterator[float]:
    """How much more the robot turns than it counts, as somebody has measured."""
    measured = Measurement(1.05, 0.001, "this test")
    folder, serial = data_directory(), Identity().head_serial
    calibration = RobotCalibration().with_values({"turn_scale": measured})
    save_robot_calibration(folder, serial, calibration)
    yield measured.value
    calibration_path(folder, serial).unlink()


def test_a_pose_is_where_the_robot_counts_it_when_its_turns_are_corrected(
    turn_scale: float, client: Client, emulator: RunningEmulator
) -> None:
    client.connect()
    while client.conn.engine.robot.calibration.turn_scale != turn_scale:
        client.wait_for(event.EvtRobotStateUpdated, 60.0)  # type: ignore[attr-defined]
    client.go_to_pose(Pose(0, 0, 0, angle_z=Angle(degrees=170)))
    before = emulator.truth().pose
    client.go_to_pose(Pose(200, 0, 0, angle_z=Angle(degrees=0)), relative_to_robot=True)
    after = emulator.truth().pose

    start = Pose2D(before.x, before.y, before.yaw)
    way = start.inverse().compose(Pose2D(after.x, after.y, after.yaw))
    assert (way.x, way.y, way.yaw) == pytest.approx((0.2, 0.0, 0.0), abs=0.01)

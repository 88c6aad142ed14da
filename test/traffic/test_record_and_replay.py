"""A session of the driver's robot layer, recorded between it and the emulator, played both ways."""

from __future__ import annotations

import asyncio
import math
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cozmo_driver.emulator import running_emulator
from cozmo_driver.link import FieldRecorder, write_datagrams
from cozmo_driver.link.field_recorder import KEPT
from cozmo_driver.protocol import Message, messages
from cozmo_driver.robot import Pose2D, Robot, RobotError
from cozmo_driver.traffic.live import timeline
from cozmo_driver.traffic.sources import open_file

from ..cli.command import cozmo, started
from ..robot.test_session import connected, robot_on

HOST = "127.0.0.1"
_CLEAN = 0.05
"""s that a robot may not live through, and yet moves by a replay's clock as it was recorded."""


@dataclass
class Received:
    """What a robot told the driver: by its own clock, in ms, where it was."""

    poses: dict[int, Pose2D] = field(default_factory=dict)
    odometry: Pose2D = field(default_factory=Pose2D)

    def listen(self, robot: Robot) -> None:
        robot.on_state.connect(
            lambda state: self.poses.update({round(1000 * state.robot_time): state.pose})
        )


@dataclass
class Recorded:
    """A recording, what the driver saw meanwhile, and where the emulated robot really got."""

    path: Path
    received: Received
    end: Pose2D


def place(emulator: object) -> Pose2D:
    pose = emulator.state().pose  # type: ignore[attr-defined]
    return Pose2D(pose.x / 1000, pose.y / 1000, pose.angle)


async def drive_about(port: int) -> Received:
    received = Received()
    async with robot_on(port) as robot:
        received.listen(robot)
        await connected(robot)
        await robot.maneuvers.drive_distance(0.06)
        await robot.turns.turn(math.radians(40))
        await robot.maneuvers.drive_distance(0.04)
        assert robot.odometry is not None
        received.odometry = robot.odometry.pose
    return received


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("record")
    for number in range(4):
        # A recorder that a busy computer holds up is a robot that does not move.
        with suppress(RobotError):
            return record(folder / f"session{number}.pcap")
    return record(folder / "session.pcap")


def record(path: Path) -> Recorded:
    """Record a session. Raises ``RobotError`` where it fails."""
    with (
        running_emulator(calibration_time=0.0, ideal=True) as emulator,
        started(
            *("record", path, "--robot", HOST, "--port", emulator.port, "--listen", f"{HOST}:0"),
            merged=True,
        ) as process,
    ):
        line = process.wait_for("recording to")
        port = int(line.split(" instead of ")[0].rpartition(":")[2])
        received = asyncio.run(drive_about(port))
        emulator.wait_for(lambda state: not state.connected)
        code, output, _ = process.end(signal.SIGINT)
        assert code == 0, output
        assert f"{path.stat().st_size} bytes" in output
        return Recorded(path, received, place(emulator))


def messages_of(path: Path, *, to_robot: bool) -> list[Message]:
    found = timeline(str(path), to_robot=to_robot)
    return [one.message for one in found if one.message is not None]


def test_the_recording_holds_both_ends_from_the_request_to_the_goodbye(session: Recorded) -> None:
    with open_file(str(session.path)) as traffic:
        frames = list(traffic.frames)
        assert len(traffic.sessions.ends) == 1
        assert traffic.sessions.refused == {}
    assert (frames[0].to_robot, frames[0].data[7]) == (True, 1)
    assert any(frame.to_robot and frame.data[7] == 3 for frame in frames)
    states = [
        m for m in messages_of(session.path, to_robot=False) if isinstance(m, messages.RobotState)
    ]
    assert {state.timestamp for state in states} >= set(session.received.poses)


def test_the_engine_played_again_moves_another_robot_the_same_way(
    session: Recorded, tmp_path: Path
) -> None:
    for _ in range(5):
        with running_emulator(calibration_time=0.0, ideal=True) as emulator:
            result = cozmo("replay", session.path, "--engine-to", f"{HOST}:{emulator.port}")
            end = place(emulator)
            state = emulator.wait_for(lambda now: not now.connected)
            off = math.hypot(end.x - session.end.x, end.y - session.end.y)
            if off < 0.003 or emulator.lost_time() < _CLEAN:
                break
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("sent ")
    assert "withheld" not in result.stdout
    # The recording ends with the goodbye, before which the replay stops everything itself.
    sent = [type(m).__name__ for m in messages_of(session.path, to_robot=True)]
    for name in ("ExecutePath", "SyncTime", "SetCliffDetectThreshold"):
        assert state.received[name] == sent.count(name)
    assert off < 0.003
    assert end.yaw == pytest.approx(session.end.yaw, abs=0.03)
    assert session.end.x > 0.08


def test_the_robot_played_again_tells_the_driver_the_same_states(session: Recorded) -> None:
    received = Received()

    *_, said = timeline(str(session.path), to_robot=False)

    async def watch(port: int) -> None:
        last = max(session.received.poses)
        enough = asyncio.Event()
        async with robot_on(port) as robot:
            received.listen(robot)
            robot.on_state.connect(
                lambda state: enough.set() if round(1000 * state.robot_time) >= last else None
            )
            await connected(robot)
            await asyncio.wait_for(enough.wait(), 60.0 + 3.0 * said.seconds)
            assert robot.odometry is not None
            received.odometry = robot.odometry.pose

    with started("replay", session.path, "--serve", f"{HOST}:0", "--loop", merged=True) as process:
        port = int(process.wait_for("the recorded robot is on").rpartition(":")[2])
        asyncio.run(watch(port))
        code, output, _ = process.end(signal.SIGINT)
    assert code == 0, output
    shared = received.poses.keys() & session.received.poses.keys()
    assert len(shared) > 0.9 * len(session.received.poses)
    assert {stamp: received.poses[stamp] for stamp in shared} == {
        stamp: session.received.poses[stamp] for stamp in shared
    }
    assert received.odometry.x == pytest.approx(session.received.odometry.x, abs=0.002)
    assert received.odometry.y == pytest.approx(session.received.odometry.y, abs=0.002)
    assert received.odometry.yaw == pytest.approx(session.received.odometry.yaw, abs=0.01)


def test_the_field_recorder_keeps_the_beginning_and_the_last_minute(
    session: Recorded, tmp_path: Path
) -> None:
    with open_file(str(session.path)) as traffic:
        frames = list(traffic.frames)
    begin, end = frames[: len(frames) // 2], frames[len(frames) // 2 :]
    recorder = FieldRecorder()
    recorder.tap(False, b"of another session", 0.0)
    recorder.begin()
    for frame in begin:
        recorder.tap(frame.to_robot, frame.data, frame.seconds)
    recorder.on_ready()
    for second in range(10):
        recorder.tap(False, b"too long ago", end[0].seconds + second)
    for frame in end:
        recorder.tap(frame.to_robot, frame.data, frame.seconds + 2 * KEPT)
    path = tmp_path / "last.pcap"
    with path.open("wb") as file:
        write_datagrams(file, recorder.datagrams(), (HOST, 5551), 1.7e9)

    with open_file(str(path)) as traffic:
        assert [frame.data for frame in traffic.frames] == [frame.data for frame in frames]
    # Played again, it goes on at once where the recording does.
    whole, kept = (list(timeline(str(one), to_robot=False)) for one in (session.path, path))
    assert [one.message for one in kept] == [one.message for one in whole]
    assert kept[-1].seconds == pytest.approx(whole[-1].seconds, abs=0.1)


def test_the_field_recorder_takes_no_more_than_two_megabytes() -> None:
    recorder = FieldRecorder()
    for number in range(10_000):
        recorder.tap(False, bytes(1000), number / 1000)
    kept = recorder.datagrams()
    assert 1_500_000 < sum(len(one.data) for one in kept) < 2_097_152
    assert (kept[0].time, kept[-1].time) == (0.0, 9.999)


def test_a_field_recorder_that_keeps_a_long_beginning_has_no_holes_in_it() -> None:
    recorder = FieldRecorder(beginning=3 << 20)
    for number in range(10_000):
        recorder.tap(False, bytes(1000 if number % 2 else 10), number / 1000)
    kept = [one.time for one in recorder.datagrams()]
    assert 5_000 < len(kept) < 5_300
    assert kept == [number / 1000 for number in range(len(kept))]

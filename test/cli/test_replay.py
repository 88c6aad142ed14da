"""``cozmo replay``: what it asks, leaves out and does when something is wrong."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from cozmo_driver.emulator import running_emulator
from cozmo_driver.link import UdpLink
from cozmo_driver.protocol import (
    Connected,
    DisconnectReason,
    EncodeError,
    EngineConfig,
    MessageReceived,
    encode_message,
)
from cozmo_driver.protocol.frames import Frame, FrameType, build_frame
from cozmo_driver.protocol.messages import (
    AnimationStarted,
    DriveWheels,
    ImageChunk,
    NVCommand,
    OtaWrite,
    SetAudioVolume,
    ShutdownRobot,
)
from cozmo_driver.traffic import Endpoint
from cozmo_driver.traffic.live import EngineReplay, RobotReplay, TimedMessage, timeline

from ..programs import DEADLINE, Program
from ..traffic.capture_files import SESSION, Recorded, as_pcap
from .command import cozmo, started

HOST = "127.0.0.1"
HARMFUL = (
    NVCommand(0x182000, 4, 1, 0, b"\0\0\0\0"),
    NVCommand(0x182000, 4, 2, 0, b""),
    OtaWrite(0, bytes(1024)),
    ShutdownRobot((0,) * 8),
)
HARMLESS = (NVCommand(0x80000001, 1, 0, 0, b""), SetAudioVolume(7), SetAudioVolume(8))


def of_the_engine(path: Path, *messages: tuple[object, ...]) -> Path:
    """Write a capture of an engine that says these, 10 ms apart."""
    frames = [Recorded(0.0, True, build_frame(Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0)))]
    for seq, message in enumerate(messages, start=2):
        frame = Frame(FrameType.SINGLE_RELIABLE, seq, seq, 1, encode_message(message))
        # Each was sent twice, as after a loss.
        frames += [Recorded(0.01 * seq + late, True, build_frame(frame)) for late in (0, 0.004)]
    path.write_bytes(as_pcap(frames))
    return path


def test_what_writes_to_the_robot_or_switches_it_off_is_left_out(tmp_path: Path) -> None:
    path = of_the_engine(tmp_path / "a.pcap", *HARMLESS[:2], *HARMFUL, HARMLESS[2])
    with running_emulator() as emulator:
        result = cozmo("replay", path, "--engine-to", f"{HOST}:{emulator.port}")
        state = emulator.wait_for(lambda now: not now.connected)
    assert result.returncode == 0, result.stderr
    assert "withheld  4 messages: 2 NVCommand, 1 OtaWrite, 1 ShutdownRobot" in result.stdout
    assert result.stdout.startswith("sent      3 messages: 2 SetAudioVolume, 1 NVCommand\n")
    received = Counter(state.received)
    # Once each, and the replay's own goodbye.
    assert received == {
        "NVCommand": 1,
        "SetAudioVolume": 2,
        "StopAllMotors": 1,
        "AbortAnimation": 1,
    }
    assert state.last_received["SetAudioVolume"].volume == 8
    assert state.last_disconnect is DisconnectReason.REMOTE


def test_a_message_of_the_wrong_end_is_left_out(tmp_path: Path) -> None:
    path = of_the_engine(tmp_path / "a.pcap", HARMLESS[1], AnimationStarted(7), HARMLESS[2])
    *said, _ = timeline(str(path), to_robot=True)
    assert [one.message for one in said] == [HARMLESS[1], HARMLESS[2]]


def test_a_clock_that_was_set_back_changes_no_pace_and_hides_no_session(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    frames = []
    times = ((20.0, 1), (21.0, 2), (21.5, 3), (11.5, 4), (12.5, 5), (13.0, 1), (14.0, 2))
    for seconds, seq in times:
        kind = FrameType.CONNECTION_REQUEST if seq == 1 else FrameType.SINGLE_RELIABLE
        payload = b"" if seq == 1 else encode_message(SetAudioVolume(seq))
        frames.append(Recorded(seconds, True, build_frame(Frame(kind, seq, seq, 1, payload))))
    path.write_bytes(as_pcap(frames))
    first, second = (list(timeline(str(path), to_robot=True, session=n)) for n in (1, 2))
    assert [one.message for one in first[:-1]] == [SetAudioVolume(n) for n in (2, 3, 4, 5)]
    # How long it took until the frame after the step nobody knows.
    assert [one.seconds for one in first] == pytest.approx([1.0, 1.5, 1.5, 2.5, 2.5])
    assert second[:-1] == [(pytest.approx(1.0), SetAudioVolume(2))]


def test_what_no_frame_of_a_robot_holds_ends_a_served_recording() -> None:
    long = TimedMessage(0.0, ImageChunk(0, 1, 0, 8, 4, 0, 0, 2, bytes(1400)))

    async def ending() -> Exception | None:
        ended = asyncio.get_running_loop().create_future()
        robot = RobotReplay(lambda: iter([long]))
        robot.on_end = ended.set_result
        where = await robot.start(Endpoint(HOST, 0))
        engine = Engine(where.port)
        engine.link.open()
        engine.link.connect()
        try:
            return await asyncio.wait_for(ended, DEADLINE)
        finally:
            engine.link.close()
            robot.close()

    assert isinstance(asyncio.run(ending()), EncodeError)


def test_an_interrupted_replay_stops_the_robot_and_says_goodbye(tmp_path: Path) -> None:
    path = of_the_engine(tmp_path / "a.pcap", *(SetAudioVolume(n) for n in range(1, 2000)))
    with running_emulator() as emulator:
        to = f"{HOST}:{emulator.port}"
        with started("replay", path, "--engine-to", to) as process:
            emulator.wait_for(lambda state: state.received.get("SetAudioVolume", 0) > 10)
            code, output, errors = process.end(signal.SIGINT)
        state = emulator.wait_for(lambda now: not now.connected)
    assert (code, errors) == (130, "")
    assert "sent " in output
    assert state.received["StopAllMotors"] == 1
    assert state.last_disconnect is DisconnectReason.REMOTE


def test_a_stop_passes_what_a_robot_could_not_take_in_time() -> None:
    def drives() -> Iterator[TimedMessage]:
        while True:
            yield TimedMessage(0.0, DriveWheels(100, 100, 0, 0))

    async def interrupted() -> tuple[Counter[str], Counter[str]]:
        robot = RobotReplay(lambda: iter([TimedMessage(600.0, None)]))
        replay = EngineReplay(await robot.start(Endpoint(HOST, 0)))
        task = asyncio.ensure_future(replay.play(drives()))
        try:
            # More than wait to be sent.
            while replay.sent["DriveWheels"] < EngineConfig().queue + 200 and not task.done():
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        finally:
            robot.close()
        return replay.sent, robot.received

    sent, received = asyncio.run(interrupted())
    assert received["StopAllMotors"] == received["AbortAnimation"] == 1
    assert received["DriveWheels"] < sent["DriveWheels"] - EngineConfig().queue / 2


def test_a_second_signal_does_not_keep_the_robot_from_its_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = []

    async def play(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(DEADLINE)
        finally:
            signal.raise_signal(signal.SIGINT)
            # A signal takes some turns of the loop.
            for _turn in range(9):
                await asyncio.sleep(0)
            ended.append(True)

    monkeypatch.setattr(EngineReplay, "play", play)
    path = of_the_engine(tmp_path / "a.pcap", SetAudioVolume(1))
    assert cozmo("replay", path, "--engine-to", f"{HOST}:9").returncode == 130
    assert ended == [True]


class Engine:
    """Connects to a robot and counts what it says."""

    def __init__(self, port: int) -> None:
        self.heard: Counter[str] = Counter()
        self.changed = asyncio.Event()
        self.link = UdpLink(HOST, port, self._on_event, config=EngineConfig(timeout=60.0))

    def _on_event(self, event: object, _now: float) -> None:
        if isinstance(event, MessageReceived):
            self.heard[type(event.message).__name__] += 1
        if isinstance(event, Connected):
            self.heard.clear()
        self.changed.set()

    async def until_it_heard(self, name: str) -> Counter[str]:
        async def wait() -> None:
            while not self.heard[name]:
                self.changed.clear()
                await self.changed.wait()

        await asyncio.wait_for(wait(), DEADLINE)
        return self.heard


def robot_says() -> Counter[str]:
    output = cozmo("dump", SESSION, "--from", "robot", "--summary").stdout
    lines = [line.split(maxsplit=1) for line in output.splitlines() if line.startswith("     ")]
    counts = Counter({name: int(count) for count, name in lines})
    del counts["echo of a ping"], counts["ConnectionResponse"]
    return counts


async def hear_to_the_end(robot: Program, port: int) -> Counter[str]:
    """Return what a replay says until it has ended."""
    engine, said = Engine(port), robot_says()
    engine.link.open()
    try:
        engine.link.connect()
        end = time.monotonic() + DEADLINE
        while robot.process.poll() is None or engine.heard != said:
            if time.monotonic() > end:
                break
            await asyncio.sleep(0.02)
    finally:
        engine.link.close()
    return engine.heard


def test_a_served_recording_is_heard_whole_and_the_robot_is_gone_afterwards() -> None:
    with started("replay", SESSION, "--serve", f"{HOST}:0", "--speed", "4") as process:
        port = int(process.wait_for("the recorded robot is on").rpartition(":")[2])
        heard = asyncio.run(hear_to_the_end(process, port))
        code, output, errors = process.end()
    assert (code, errors) == (0, "")
    assert heard == robot_says()
    assert f"sent      {sum(heard.values())} messages" in output


def test_an_engine_that_leaves_in_the_middle_makes_room_for_the_next() -> None:
    async def leave_early(port: int) -> None:
        engine = Engine(port)
        engine.link.open()
        engine.link.connect()
        await engine.until_it_heard("FirmwareVersion")
        engine.link.close()

    with started("replay", SESSION, "--serve", f"{HOST}:0", "--speed", "4") as process:
        port = int(process.wait_for("the recorded robot is on").rpartition(":")[2])
        asyncio.run(leave_early(port))
        heard = asyncio.run(hear_to_the_end(process, port))
        code, output, _ = process.end()
    assert code == 0
    assert heard == robot_says()
    assert "\nsessions  2\n" in output

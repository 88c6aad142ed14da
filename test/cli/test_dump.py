"""``cozmo dump`` on captures made from the recordings of a real robot, and on live traffic."""

from __future__ import annotations

import ctypes
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.emulator import running_emulator

from ..traffic.capture_files import (
    BEGIN,
    ENGINE,
    IMAGE,
    ROBOT,
    SESSION,
    as_pcap,
    as_pcapng,
    ipv4,
    pcap_of,
    recording,
)
from .command import COMMAND, DEADLINE, cozmo, environment, started
from .stages import may_listen

TIME = re.compile(r"^ *\d+\.\d{6} ")
_DROP_FROM_BOUNDING_SET, _NET_RAW = 24, 13


def without_times(text: str) -> list[str]:
    return [TIME.sub("", line) for line in text.splitlines()]


@pytest.mark.parametrize("name", ["session.pcap", "session.pcapng"])
@pytest.mark.parametrize("source", [SESSION, IMAGE])
def test_a_capture_reads_as_the_recording_it_was_made_of(
    tmp_path: Path, source: Path, name: str
) -> None:
    path = tmp_path / name
    frames = recording(source)
    path.write_bytes(as_pcapng(frames) if name.endswith("ng") else as_pcap(frames))
    result = cozmo("dump", path)
    assert (result.returncode, result.stderr) == (0, "")
    head, *lines, end = without_times(result.stdout)
    assert head.startswith("session 1  engine 172.31.1.2:47817, robot 172.31.1.1:5551, 2023-11-14")
    assert lines == without_times(cozmo("decode", source).stdout)[:-1]
    assert end.endswith(" 0 bytes unexplained")


def json_lines(*arguments: str | Path) -> list[dict[str, Any]]:
    result = cozmo("dump", "--json", *arguments)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--only", "Motor*", "--before", "1.2"], ["MotorCalibration"] * 3),
        (["--only", "Motor*", "--after", "1.2"], ["MotorActionAck", "MotorCalibration"]),
        (
            ["--from", "engine", "--hide", "Ping", "--after", "0.1"],
            ["GetManufacturingInfo", "SyncTime", "SetHeadAngle"],
        ),
        (["--session", "2"], []),
    ],
)
def test_only_what_is_asked_for_is_shown(
    session: Path, arguments: list[str], names: list[str]
) -> None:
    lines = json_lines(session, *arguments)
    assert [item["name"] for line in lines for item in line["content"]] == names


def test_absolute_times_are_those_of_the_capture(session: Path) -> None:
    output = cozmo("dump", session, "--absolute", "--only", "SetHeadAngle").stdout
    assert "2023-11-14 22:13:21.58222" in output


def test_a_pipe_is_read_while_it_is_written(session: Path) -> None:
    result = subprocess.run(
        [*COMMAND, "dump", "-", "--summary"],
        input=session.read_bytes(),
        capture_output=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
    )
    assert result.returncode == 0
    assert b"64 packets, 1 session, 64 frames, 55 messages" in result.stdout


def test_a_summary_counts_by_session_end_and_name(session: Path) -> None:
    text = cozmo("dump", session, "--summary").stdout
    assert "  TX  27 frames, 820 bytes, 0 messages repeated, 0 bytes unexplained" in text
    assert "      28  RobotState" in text
    counts = json_lines(session, "--summary")
    ((first,), refused) = counts[0]["sessions"], counts[0]["refused"]
    assert (first["rx"]["frames"], first["rx"]["messages"]["RobotState"]) == (37, 28)
    assert refused == {}


def test_refused_packets_are_told_and_no_reason_to_fail(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    request = recording(SESSION)[0].data
    packets = [bytes(ipv4((ENGINE, ROBOT), request, mf=1)), bytes(ipv4((ENGINE, ROBOT), request))]
    path.write_bytes(pcap_of([(BEGIN, packet) for packet in packets], 101))
    result = cozmo("dump", path)
    assert result.returncode == 0
    assert "refused 1 packet: IP fragment" in result.stdout


def test_a_capture_without_a_robot_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap_of([(BEGIN, bytes(60))], 1))
    result = cozmo("dump", path)
    assert (result.returncode, result.stderr) == (0, "there is no frame of a Cozmo in it\n")


def test_a_damaged_capture_is_printed_up_to_the_damage(session: Path) -> None:
    session.write_bytes(session.read_bytes()[:-7])
    result = cozmo("dump", session)
    assert result.returncode == 1
    assert result.stderr.startswith(f"cozmo dump: {session}: the capture is damaged at byte")
    assert result.stderr.count("\n") == 1
    assert "63 frames" in result.stdout


@contextmanager
def pinging(port: int) -> Iterator[None]:
    """A link test that goes on until the block ends."""
    with started("linktest", "--robot", "127.0.0.1", "--port", port, "--count", 100000):
        yield


@pytest.mark.skipif(not may_listen(), reason="needs CAP_NET_RAW")
def test_live_traffic_is_shown_once_as_it_passes() -> None:
    with (
        running_emulator() as emulator,
        started("dump", "--interface", "lo", "--json", "--only", "SetAudioVolume") as process,
        pinging(emulator.port),
    ):
        answer = (json.loads(line) for line in process.follow())
        lines = list(islice((x for x in answer if x["robot"] == f"127.0.0.1:{emulator.port}"), 20))
        code, _, errors = process.end(signal.SIGINT)
    assert code == 0, errors
    ours = [line for line in lines if not any(i.get("repeated") for i in line["content"])]
    volumes = [item["fields"]["volume"] for line in ours for item in line["content"]]
    # Each frame once, though the computer hears it leave and arrive.
    assert volumes == sorted(set(volumes))


@pytest.mark.skipif(not may_listen(), reason="needs CAP_NET_RAW")
def test_an_interface_that_is_not_there_is_said_with_those_that_are() -> None:
    result = cozmo("dump", "--interface", "wlan77")
    assert result.returncode == 1
    assert "there is no network interface 'wlan77'; this computer has: " in result.stderr
    assert " lo" in result.stderr


def without_the_right_to_listen() -> None:
    ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDING_SET, _NET_RAW, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are of Linux")
def test_without_the_right_to_listen_it_says_what_to_do() -> None:
    result = subprocess.run(
        [*COMMAND, "dump", "--interface", "lo"],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=DEADLINE,
        check=False,
        preexec_fn=without_the_right_to_listen,
    )
    assert result.returncode == 1
    assert "it needs CAP_NET_RAW" in result.stderr
    assert "sudo tcpdump -i lo -U -w - udp | cozmo dump -" in result.stderr

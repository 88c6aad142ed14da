"""``cozmo emulator``, started and stopped as a user does."""

from __future__ import annotations

import json
import math
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import Path

import pytest

from cozmo_driver.emulator import running_emulator

from ..emulator.udp_engine import UdpEngine
from ..programs import Program
from ..waiting import wait_until
from .command import COMMAND, DEADLINE, cozmo, environment, started


@contextmanager
def emulator_command(*arguments: str) -> Iterator[tuple[Program, int]]:
    """Run the command on a free port; yield the process and the port it names."""
    with started("emulator", "--port", 0, *arguments) as process:
        ready = next(process.follow())
        match = re.fullmatch(r"Cozmo emulator on 127\.0\.0\.1:(\d+)\n", ready)
        assert match, f"the first line was {ready!r}"
        try:
            yield process, int(match[1])
        finally:
            process.end(signal.SIGTERM)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_it_reports_engines_and_ends_cleanly_on_a_signal(number: signal.Signals) -> None:
    with emulator_command() as (process, port):
        with UdpEngine(port) as engine:
            engine.connect()
            engine.disconnect()
            engine.connect()
            engine.disconnect()
        list(islice(process.follow(), 5))
        code, output, errors = process.end(number)
    lines = output.splitlines(keepends=True)[1:]
    assert re.fullmatch(r"connected: 127\.0\.0\.1:\d+\n", lines[0])
    assert lines[1] == "disconnected: closed by the other end\n"
    assert lines[2:] == lines[:2]
    assert (errors, code) == ("", 0)


def test_a_port_in_use_is_explained_in_one_line() -> None:
    with running_emulator() as emulator:
        result = cozmo("emulator", "--port", emulator.port)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        f"cozmo emulator: UDP port {emulator.port} of 127.0.0.1 is in use: "
        "stop the other program or choose another port with --port\n"
    )


def test_a_robot_in_a_world_is_handled_by_name() -> None:
    with emulator_command("--world", "table") as (_, port):
        moved = cozmo("emulator", "ctl", "--port", port, "putdown", "-0.02", "0.1", "45")
        assert (moved.returncode, moved.stdout, moved.stderr) == (0, "", "")
        status = cozmo("emulator", "--port", port, "ctl", "status")
        answer = json.loads(status.stdout)
        assert answer["world"] == "table"
        assert answer["pose"] == {"x": -0.02, "y": 0.1, "yaw": 45.0}
        refused = cozmo("emulator", "ctl", "--port", port, "putdown", "2", "0")
        assert refused.returncode == 1
        assert refused.stderr == (
            "cozmo emulator: putdown: there is no floor there: choose another place\n"
        )


def test_several_robots_share_a_world_each_on_its_own_port() -> None:
    with emulator_command("--world", "table", "--robots", "2", "--no-noise") as (process, port):
        _, second = islice(process.follow(), 2)
        match = re.fullmatch(r"Cozmo emulator on 127\.0\.0\.1:(\d+)\n", second)
        assert match
        places = [
            json.loads(cozmo("emulator", "ctl", "--port", each, "status").stdout)["pose"]["y"]
            for each in (port, int(match[1]))
        ]
        assert places == [0.0, 0.12]


def test_the_truth_is_told_ten_times_a_second_of_the_robot() -> None:
    with emulator_command("--world", "table", "--truth", "--no-noise") as (process, port):
        answer = [json.loads(line) for line in islice(process.follow(), 1, 5)]
        began = time.time()
    assert {line["port"] for line in answer} == {port}
    assert all(abs(line["time"] - began) < DEADLINE for line in answer)
    stamps = [line["stamp"] for line in answer]
    assert all(later > earlier for earlier, later in pairwise(stamps))
    assert stamps[3] - stamps[0] >= 250
    assert answer[0]["pose"] == {"x": 0.0, "y": 0.0, "yaw": 0.0}
    place = {"x": 0.18, "y": 0.0, "z": 0.022, "roll": 0.0, "pitch": 0.0, "yaw": 0.0}
    assert answer[0]["cubes"]["1"] == place | {"is_fallen": False}
    # With the head down the camera looks 29 degrees below the horizon (spec 13 §3).
    assert answer[0]["camera"]["elevation"] == pytest.approx(math.radians(-29.0), abs=0.01)


def test_what_is_to_be_seen_is_written_to_a_folder(tmp_path: Path) -> None:
    with emulator_command("--world", "table", "--view", str(tmp_path)) as (process, _):
        wait_until((tmp_path / "news.js").exists, "the view")
        _, _, errors = process.end(signal.SIGTERM)
    assert errors == ""
    assert {file.name for file in tmp_path.iterdir()} == {
        *("index.html", "news.js", "top.png", "face.png", "camera.png")
    }


def test_the_face_is_drawn_on_a_terminal() -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "emulator", "--port", "0", "--view", "terminal"],
        stdout=follower,
        stderr=subprocess.PIPE,
        env=environment() | {"COLUMNS": "80", "LINES": "24"},
    )
    os.close(follower)
    try:
        shown = b""
        while shown.count(b"\n") < 17:
            assert select.select([leader], [], [], DEADLINE)[0], shown
            shown += os.read(leader, 65536)
        first, *face = shown.decode().splitlines()
        assert first.startswith("Cozmo emulator on 127.0.0.1:")
        assert len(face) == 16
        assert all(" " * 64 in line for line in face)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=DEADLINE)
        assert (errors, process.returncode) == (b"", 0)
    finally:
        process.kill()
        process.communicate()
        os.close(leader)


def test_when_the_folder_of_the_view_goes_the_robot_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "view"
    with emulator_command("--view", str(folder)) as (process, port):
        wait_until((folder / "news.js").exists, "the view")
        folder.rename(tmp_path / "elsewhere")
        process.wait_for("cozmo emulator: --view ends: ", errors=True)
        with UdpEngine(port) as engine:
            engine.connect()


def test_it_goes_on_when_nobody_reads_its_output_any_more() -> None:
    process = subprocess.Popen(
        [*COMMAND, "emulator", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline().rpartition(":")[2])
        process.stdout.close()
        with UdpEngine(port) as engine:
            engine.connect()
            status = cozmo("emulator", "ctl", "--port", port, "status")
        assert (status.returncode, status.stderr) == (0, "")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=DEADLINE)
        assert errors == ""
    finally:
        process.kill()
        process.communicate()

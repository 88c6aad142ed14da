"""``cozmo linktest`` over UDP against the emulator."""

from __future__ import annotations

import re
import signal
import socket
from contextlib import AbstractContextManager

import pytest

from cozmo_driver.cli.linktest import LinkReport, percentile
from cozmo_driver.emulator import running_emulator
from cozmo_driver.protocol import DisconnectReason

from ..programs import Program
from .command import cozmo, started

HOST = "127.0.0.1"


def linktest(port: int, *arguments: str) -> AbstractContextManager[Program]:
    """Run a command that tests the link to an emulator."""
    return started("linktest", "--robot", HOST, "--port", port, *arguments)


def test_at_20_percent_loss_everything_is_delivered_and_the_loss_is_seen() -> None:
    with running_emulator(loss=0.2, seed=3) as emulator:
        result = cozmo(
            "linktest", "--robot", HOST, "--port", emulator.port, "--count", 400, "--rate", 150
        )
        state = emulator.state()
    assert result.returncode == 0, result.stdout + result.stderr
    assert state.received["SetAudioVolume"] == 400
    assert state.last_received["SetAudioVolume"].volume == 400
    assert re.search(r"^delivered +400 of 400 messages in \d+\.\d s$", result.stdout, re.M)
    assert re.search(r"^round trip +p50 [\d.]+ ms, p99 [\d.]+ ms", result.stdout, re.M)
    assert re.search(r"^ping +[\d.]+ ms smoothed, [\d.]+ ms at best$", result.stdout, re.M)
    [resent] = re.findall(r"^resent +(\d+) messages$", result.stdout, re.M)
    [loss] = re.findall(r"^loss +about ([\d.]+) %", result.stdout, re.M)
    assert int(resent) > 0
    assert 5 < float(loss) < 40


def test_nobody_there_is_said_in_one_line() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind((HOST, 0))
        port = silent.getsockname()[1]
        result = cozmo("linktest", "--robot", HOST, "--port", port, "--count", 5)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"cozmo linktest: no robot answers at {HOST}:{port};")
    assert "cozmo emulator" in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_interrupted_test_says_goodbye_to_the_robot() -> None:
    with running_emulator() as emulator:
        with linktest(emulator.port, "--count", "100000") as process:
            emulator.wait_for(lambda state: state.received.get("SetAudioVolume", 0) > 10)
            ending, _, errors = process.end(signal.SIGINT)
        state = emulator.wait_for(lambda now: not now.connected)
    assert ending == 130
    assert "Traceback" not in errors
    assert state.last_disconnect is DisconnectReason.REMOTE


def test_a_robot_that_dies_in_the_middle_ends_the_test_with_1() -> None:
    with (
        running_emulator() as emulator,
        linktest(emulator.port, "--count", "300", "--rate", "100") as process,
    ):
        emulator.wait_for(lambda state: state.received.get("SetAudioVolume", 0) > 10)
        emulator.kill()
        code, output, errors = process.end()
    assert code == 1
    assert re.search(r"^delivered +\d+ of 300 messages", output, re.M)
    assert "the connection is gone: the other end fell silent" in output
    assert "Traceback" not in errors


def test_a_percentile_is_the_value_that_the_share_does_not_exceed() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    found = [percentile(values, share) for share in (0.5, 0.99, 1.0, 0.001, 0.0)]
    assert found == [50.0, 99.0, 100.0, 1.0, 1.0]


def test_the_loss_of_one_way_follows_from_pings_that_take_two() -> None:
    assert LinkReport(1, pings_answered=64, pings_lost=36).loss == pytest.approx(0.2)
    assert LinkReport(1, pings_answered=10).loss == 0.0
    assert LinkReport(1).loss is None


def test_a_report_without_a_single_answer_still_reads_well() -> None:
    assert LinkReport(5, ended="the robot fell silent", duration=5.0).lines() == [
        "delivered   0 of 5 messages in 5.0 s",
        "ended       the robot fell silent",
        "resent      0 messages",
    ]

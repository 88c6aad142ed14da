"""``cozmo emulator``, started and stopped as a user does."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cozmo_driver.emulator import running_emulator

from ..emulator.udp_engine import UdpEngine
from .command import COMMAND, DEADLINE, cozmo, environment


@contextmanager
def emulator_command(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run the command on a free port; yield the process and the port it names."""
    process = subprocess.Popen(
        [*COMMAND, "emulator", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        match = re.fullmatch(r"Cozmo emulator on 127\.0\.0\.1:(\d+)\n", ready)
        assert match, f"the first line was {ready!r}"
        yield process, int(match[1])
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_reports_engines_and_ends_cleanly_on_a_signal(number: signal.Signals) -> None:
    with emulator_command() as (process, port):
        with UdpEngine(port) as engine:
            engine.connect()
            engine.disconnect()
            engine.connect()
            engine.disconnect()
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(4)]
        process.send_signal(number)
        rest, errors = process.communicate(timeout=DEADLINE)
    assert re.fullmatch(r"connected: 127\.0\.0\.1:\d+\n", lines[0])
    assert lines[1] == "disconnected: closed by the other end\n"
    assert lines[2:] == lines[:2]
    assert (rest, errors, process.returncode) == ("", "", 0)


def test_a_bad_link_can_be_asked_for() -> None:
    bad = ("--loss", "0.1", "--duplicate", "0.1", "--reorder", "0.1", "--latency-ms", "30")
    with emulator_command(*bad, "--seed", "4") as (_, port), UdpEngine(port) as engine:
        engine.connect()
        engine.run_until(lambda: engine.connection.statistics.pings_answered > 2)
        assert (engine.connection.statistics.round_trip_min or 0) >= 0.06


def test_a_port_in_use_is_explained_in_one_line() -> None:
    with running_emulator() as emulator:
        result = cozmo("emulator", "--port", emulator.port)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        f"cozmo emulator: UDP port {emulator.port} of 127.0.0.1 is in use: "
        "stop the other program or choose another port with --port\n"
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--loss", "2"), "loss"),
        (("--latency-ms", "-1"), "latency"),
        (("--port", "70000"), "70000"),
        (("--host", "no.such.host.invalid"), "no.such.host.invalid"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(arguments: tuple[str, ...], named: str) -> None:
    result = cozmo("emulator", *arguments)
    assert result.returncode in (1, 2)
    assert named in result.stderr
    assert result.stderr.count("\n") == 1

"""``cozmo doctor`` against emulators on loopback."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from cozmo_driver.emulator import Identity, RunningEmulator, running_emulator
from cozmo_driver.protocol import DisconnectReason

from .command import cozmo_program, started

HOST = "127.0.0.1"
Run = subprocess.CompletedProcess[str]


def doctor(port: int, *words: str) -> Run:
    return cozmo_program("doctor", "--robot", HOST, "--port", port, *words)


@contextmanager
def held(robot: RunningEmulator) -> Iterator[int]:
    """Have a robot in another program's hands; yield the process of that."""
    words = ("--robot", HOST, "--port", robot.port, "--count", 1_000_000, "--rate", 10)
    with started("linktest", *words) as process:
        robot.wait_for(lambda state: state.received.get("SetAudioVolume", 0) > 0)
        yield process.process.pid


@contextmanager
def nobody() -> Iterator[int]:
    """Yield a port on which nothing listens, and nothing will meanwhile."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as elsewhere:
        # The port is taken on another address of this computer.
        elsewhere.bind(("127.0.0.2", 0))
        yield int(elsewhere.getsockname()[1])


@pytest.fixture(scope="module")
def robots() -> Iterator[dict[str, RunningEmulator]]:
    options: dict[str, dict[str, Any]] = {
        "well": {},
        "started": {"calibration_time": 0.1},
        "docked": {"calibration_time": 0.1, "on_charger": True, "battery_voltage": 3.6},
        "hungry": {"calibration_time": 0.1, "battery_voltage": 3.45},
        "far away": {"loss": 0.2, "seed": 5},
        "from the factory": {"identity": Identity(build="FACTORY")},
        "old": {"identity": Identity(firmware_version=2214)},
        "busy": {},
    }
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(running_emulator(**option))
            for name, option in options.items()
        }


@pytest.fixture(scope="module")
def runs(robots: dict[str, RunningEmulator]) -> dict[str, Run]:
    """Return what it says of each robot; side by side, because each takes seconds of waiting."""

    def say(name: str) -> Run:
        is_started = name in ("started", "docked", "hungry")
        words = [*(["--start"] if is_started else []), *(["--json"] if name != "well" else [])]
        return doctor(robots[name].port, *words)

    with held(robots["busy"]) as holder, nobody() as unused, ThreadPoolExecutor() as pool:
        waiting = {name: pool.submit(say, name) for name in robots}
        waiting["nobody"] = pool.submit(doctor, unused)
        found = {name: future.result() for name, future in waiting.items()}
    # So many at once may be too many for a busy computer.
    for name in ("well", "started", "docked", "hungry", "far away", "old"):
        if found[name].returncode:
            found[name] = say(name)
    if said(found["from the factory"], "connection")["outcome"] != "ok":
        found["from the factory"] = say("from the factory")
    found["holder"] = subprocess.CompletedProcess([], 0, str(holder))
    return found


def said(run: Run, check: str) -> dict[str, str]:
    """Return the only finding of a check."""
    (found,) = [one for one in json.loads(run.stdout)["checks"] if one["check"] == check]
    return dict(found)


def test_a_robot_that_can_be_driven_is_told_to_people(runs: dict[str, Run]) -> None:
    run = runs["well"]
    assert run.returncode == 0, run.stdout
    assert run.stderr == ""
    assert re.search(r"^  ok +Python +3\.\d+\.\d+, ", run.stdout, re.M)
    assert re.search(r"^  skipped +all of it +127\.0\.0\.1 is this computer", run.stdout, re.M)
    assert re.search(
        r"^  ok +connection +127\.0\.0\.1:\d+ answered after \d+ ms$", run.stdout, re.M
    )
    assert re.search(r"^  ok +firmware +2457 \(DEVELOPMENT\), robot 45a1b2c3$", run.stdout, re.M)
    assert re.search(r"^  skipped +clock +setting it moves head and lift", run.stdout, re.M)
    # On a busy machine the emulator answers late.
    assert re.search(r"^  (ok|warning) +link +round trip \d+ ms, loss about", run.stdout, re.M)
    assert run.stdout.splitlines()[-1].startswith("usable")


def test_it_leaves_a_robot_as_it_was_and_says_goodbye(
    robots: dict[str, RunningEmulator], runs: dict[str, Run]
) -> None:
    assert runs["well"].returncode == 0
    state = robots["well"].wait_for(lambda now: not now.connected)
    assert set(state.received) == {"GetManufacturingInfo"}
    assert state.last_disconnect is DisconnectReason.REMOTE
    assert not robots["well"].call(lambda robot: robot.core.connection.statistics.refused)


def test_only_when_asked_it_starts_the_robot(runs: dict[str, Run]) -> None:
    assert runs["started"].returncode == 0, runs["started"].stdout
    assert said(runs["started"], "clock")["outcome"] == "ok"
    assert said(runs["started"], "state")["saw"].startswith("the robot takes commands; battery 4.")


def test_the_battery_is_judged_as_the_driver_does(runs: dict[str, Run]) -> None:
    docked, hungry = said(runs["docked"], "state"), said(runs["hungry"], "state")
    assert docked["outcome"] == "ok"
    assert docked["saw"] == "the robot takes commands; on its charger, charging"
    assert hungry["outcome"] == "warning"
    assert hungry["saw"].endswith(" V, low")


def test_a_bad_link_is_a_warning_with_its_loss(runs: dict[str, Run]) -> None:
    run = runs["far away"]
    assert run.returncode == 0, run.stdout
    found = said(run, "link")
    assert found["outcome"] == "warning"
    loss = re.search(r"loss about ([\d.]+) %", found["saw"])
    assert loss is not None
    assert float(loss[1]) > 5.0


def test_a_robot_with_factory_firmware_cannot_be_driven(runs: dict[str, Run]) -> None:
    run = runs["from the factory"]
    assert run.returncode == 1
    assert said(run, "firmware")["outcome"] == "failed"
    assert "factory firmware" in said(run, "firmware")["saw"]
    assert said(run, "connection")["outcome"] == "ok"
    assert said(runs["old"], "firmware")["outcome"] == "warning"


def test_a_port_on_which_nothing_listens_is_told_from_a_silent_robot(runs: dict[str, Run]) -> None:
    run = runs["nobody"]
    assert run.returncode == 1
    assert re.search(
        r"^  failed +connection +nothing listens at 127\.0\.0\.1:\d+$", run.stdout, re.M
    )
    assert "-> a robot listens on port 5551;" in run.stdout
    assert run.stdout.endswith("\nnot usable: 1 check failed; begin with the first\n")


def test_a_robot_in_other_hands_is_said_with_who_may_hold_it(
    robots: dict[str, RunningEmulator], runs: dict[str, Run]
) -> None:
    found = said(runs["busy"], "connection")
    assert runs["busy"].returncode == 1
    assert found["outcome"] == "failed"
    assert found["saw"].startswith(f"no answer from {HOST}:{robots['busy'].port}")
    assert f"(process {runs['holder'].stdout})" in found["saw"]
    assert "one program only" in found["advice"]
    assert robots["busy"].state().foreign_datagrams > 0

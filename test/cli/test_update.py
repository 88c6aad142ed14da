"""``cozmo update``: files checked, an emulated robot updated, and what happens on the way."""

from __future__ import annotations

import json
import os
import pty
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from cozmo_driver.cli import update
from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.options import Identity
from cozmo_driver.robot import UpdateTimes

from ..robot import firmware_files
from .command import run, started

HOST = "127.0.0.1"
NEW, OLD = 2381, 2457
# An emulated robot needs no 15 s to restart.
QUICK = (
    "import sys; from cozmo_driver.cli import main, update; "
    "update.TIMES = update.UpdateTimes(chunk=60.0, restart=0.5); sys.exit(main.main())"
)


@pytest.fixture(autouse=True)
def _new_firmware(folder, monkeypatch):
    monkeypatch.setattr(update, "TIMES", UpdateTimes(restart=0.5))
    firmware_files.write(folder / "new.safe", version=NEW)


@contextmanager
def emulated(change=lambda firmware: None, **options):
    options = {"calibration_time": 0.0, "on_charger": True, "speed": 2.5, **options}
    with running_emulator(**options) as emulator:
        emulator.call(change)
        yield emulator


def words(emulator, *arguments):
    return ["update", "new.safe", *arguments, "--robot", HOST, "--port", str(emulator.port)]


def update_of(emulator):
    return emulator.call(lambda firmware: firmware.update)


def version_of(emulator):
    return emulator.call(lambda firmware: json.loads(firmware.session.description)["version"])


# -- the file


def test_a_sound_file_is_described_without_a_robot():
    code, output, errors = run("update", "new.safe", "--check")
    assert (code, errors) == (0, "")
    assert output.splitlines() == [
        f"file     firmware {NEW} (DEVELOPMENT), 21024 bytes",
        "it can be installed; that it is complete is for the robot to find out",
    ]


def test_what_a_file_calls_itself_is_shown_without_what_steers_a_terminal(folder):
    firmware_files.write(folder / "odd.safe", version=NEW, build="\x1b[2J\ud800")
    code, output, _ = run("update", "odd.safe", "--check")
    assert (code, r"(\x1b[2J\ud800)" in output) == (0, True)


# -- the robot


def test_a_robot_is_updated():
    with emulated() as emulator:
        code, output, errors = run(*words(emulator, "--yes"))
        assert version_of(emulator) == NEW
        assert bytes(update_of(emulator).received)[:21024] == Path("new.safe").read_bytes()
    assert code == 0, errors
    lines = output.splitlines()
    assert lines.pop(2).endswith(" V, on the charger")
    assert lines[1:] == [
        f"robot    45a1b2c3 runs firmware {OLD}",
        "note     the file is older than what the robot runs",
        f"the robot runs firmware {NEW} now",
    ]


def test_a_robot_in_its_recovery_image_is_brought_back():
    with emulated(identity=Identity(build="FACTORY", firmware_version=10700)) as emulator:
        code, output, errors = run(*words(emulator, "--yes"))
        assert (code, version_of(emulator)) == (0, NEW), errors
    assert "it does not report its charge: it must be on its charger" in output
    assert output.endswith(f"the robot runs firmware {NEW} now\n")


def test_without_anybody_to_ask_nothing_is_sent():
    with emulated() as emulator:
        with started(*words(emulator)) as process:
            code, _, errors = process.end()
        assert not update_of(emulator).received
    assert code == 2
    assert errors == "cozmo update: nobody can be asked here: --yes installs without asking\n"


@pytest.mark.parametrize(("answer", "code"), [(f"{NEW}", 0), ("yes", 1), ("", 1)])
def test_whoever_sits_there_is_asked(answer, code, monkeypatch):
    leader, follower = pty.openpty()
    with emulated() as emulator, open(follower) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        os.write(leader, f"{answer}\n".encode())
        ending, output, errors = run(*words(emulator))
        assert version_of(emulator) == (OLD if code else NEW)
        assert bool(update_of(emulator).received) == (code == 0)
    os.close(leader)
    assert ending == code
    assert f"Type {NEW} to install this firmware" in output
    assert code == 0 or errors == "cozmo update: nothing was sent\n"


# -- what breaks it off


def test_an_update_that_fails_says_what_to_do_now():
    with emulated(lambda firmware: firmware.update.faults.status.update({6: 1})) as emulator:
        code, _, errors = run(*words(emulator, "--yes"))
    last = errors.splitlines()[-1]
    assert code == 1
    assert last.startswith("cozmo update: ")
    assert "switch it off and on, then begin anew" in last


def test_one_interrupt_warns_and_the_second_breaks_off():
    def deaf(firmware):
        firmware.update.faults.silent_from = 12

    with emulated(deaf, speed=1.0) as emulator:
        received = update_of(emulator).received
        with started(*words(emulator, "--yes"), words=[sys.executable, "-c", QUICK]) as process:
            emulator.wait_for(lambda _: len(received) > 12 * 1024)
            process.process.send_signal(signal.SIGINT)
            process.wait_for("once more does it all the same", errors=True)
            code, _, errors = process.end(signal.SIGINT)
        assert version_of(emulator) == OLD
    assert code == 130
    assert "the update was broken off" in errors
    assert "begin anew" in errors


def test_one_interrupt_alone_changes_nothing():
    def slow(firmware):
        firmware.update.times.erase = 1.0

    with emulated(slow, speed=1.0) as emulator:
        state = update_of(emulator)
        with started(*words(emulator, "--yes"), words=[sys.executable, "-c", QUICK]) as process:

            def interrupt(_):
                # The robot does nothing more before.
                if state.received:
                    process.process.send_signal(signal.SIGINT)
                return bool(state.received)

            emulator.wait_for(interrupt)
            code, output, errors = process.end()
        assert version_of(emulator) == NEW
    assert code == 0, errors
    assert output.endswith(f"the robot runs firmware {NEW} now\n")

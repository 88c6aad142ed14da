"""``cozmo checkup --json``: a program in place of the person, such as the cockpit."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from cozmo_driver.checkup import load_report
from cozmo_driver.emulator import running_emulator

from ..waiting import TIMEOUT, wait_until

COMMAND = [sys.executable, "-m", "cozmo_driver.cli.main", "checkup", "--json"]
IMPATIENT = """
from cozmo_driver.checkup import checkup
from cozmo_driver.cli.main import main

checkup.RECONNECTING = 0.5
raise SystemExit(main())
"""


@pytest.fixture
def emulator():
    with running_emulator(calibration_time=0.0) as running:
        yield running


class Checkup:
    """The command with its pipes."""

    def __init__(self, port, folder, *words, command=COMMAND):
        place = ["--robot", "127.0.0.1", "--port", str(port), "--output", str(folder)]
        self.process = subprocess.Popen(
            [*command, *place, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.heard = []

    def until(self, kind):
        """Return what is said under a kind next."""
        for line in self.process.stdout:
            [(said, value)] = json.loads(line).items()
            self.heard.append((said, value))
            if said == kind:
                return value
        raise AssertionError(f"{kind} was not said; {self.heard}")

    def say(self, **values):
        print(json.dumps(values), file=self.process.stdin)

    def answer(self, value):
        """Answer the next question; return it."""
        asked = self.until("asks")
        self.say(answer=asked["number"], value=value)
        return asked

    def end(self):
        self.process.stdin.close()
        for line in self.process.stdout:
            self.heard.append(next(iter(json.loads(line).items())))
        return self.process.wait(TIMEOUT)


def test_it_asks_is_answered_and_tells_what_came_of_each_step(emulator, tmp_path):
    one = Checkup(emulator.port, tmp_path / "r", "--only", "identity", "display", "battery")
    assert one.until("steps") == ["identity", "battery", "display"]
    asked = one.answer("go")
    assert (asked["kind"], asked["step"], asked["can_repeat"]) == ("choose", "identity", False)
    assert one.until("outcome")["verdict"] == "passed"
    assert one.answer("skip")["step"] == "battery"
    assert one.until("outcome")["verdict"] == "skipped"
    one.say(answer=99, value="stop")  # of no question
    one.say(nonsense=True)
    one.answer("go")
    seen = one.answer(False)
    assert seen["kind"] == "notices"
    assert "chessboard" in seen["text"]
    outcome = one.until("outcome")
    assert (outcome["step"], outcome["verdict"]) == ("display", "failed")
    assert outcome["advice"]
    assert "Repeat" in one.answer(True)["text"]
    assert one.until("begins") == "display"
    one.answer(False)
    assert one.until("outcome")["verdict"] == "failed"
    one.answer(False)
    assert one.until("report") == {"passed": 1, "unusual": 0, "failed": 1, "skipped": 1}
    assert one.process.wait(TIMEOUT) == 1


def test_the_step_before_begins_where_it_is_repeated(emulator, tmp_path):
    one = Checkup(emulator.port, tmp_path / "r", "--only", "identity", "battery")
    one.answer("go")
    assert one.answer("repeat")["step"] == "battery"
    assert one.until("outcome")["step"] == "identity"
    assert one.answer("stop")["step"] == "battery"
    one.end()
    begun = [value for said, value in one.heard if said == "begins"]
    assert begun == ["identity", "identity"]


def test_a_stop_stops_the_treads_and_is_confirmed_and_the_report_is_written(emulator, tmp_path):
    one = Checkup(emulator.port, tmp_path / "r", "--only", "treads")
    one.answer("go")
    one.answer(True)  # there is a place
    wait_until(lambda: emulator.state().left_speed > 20.0, "it does not drive")
    one.say(stop=True)
    assert one.until("stopped") == {"success": True, "message": ""}
    wait_until(lambda: emulator.state().left_speed == 0.0, "it drives on")
    one.until("report")
    one.end()
    assert load_report(tmp_path / "r").ended == "it was interrupted"


def test_a_program_that_dies_stops_the_treads_and_ends_it(emulator, tmp_path):
    one = Checkup(emulator.port, tmp_path / "r", "--only", "treads")
    one.answer("go")
    one.answer(True)
    wait_until(lambda: emulator.state().left_speed > 20.0, "it does not drive")
    one.process.stdout.close()
    one.process.stdin.close()
    one.process.wait(TIMEOUT)
    wait_until(lambda: emulator.state().left_speed == 0.0, "it drives on")
    assert load_report(tmp_path / "r").ended == "it was interrupted"


def test_a_robot_that_does_not_come_back_is_told_and_no_success(tmp_path):
    command = [sys.executable, "-c", IMPATIENT, "checkup", "--json"]
    with running_emulator(calibration_time=0.0) as emulator:
        words = ["--only", "identity", "battery"]
        one = Checkup(emulator.port, tmp_path / "r", *words, command=command)
        one.answer("go")
        asked = one.until("asks")
    one.say(answer=asked["number"], value="go")
    assert "ended early: the robot did not come back" in one.until("error")
    one.until("report")
    assert one.process.wait(TIMEOUT) == 1
    assert "did not come back" in load_report(tmp_path / "r").ended


def test_without_a_robot_it_says_why(tmp_path):
    one = Checkup(9, tmp_path / "r", "--only", "identity")
    assert "127.0.0.1:9" in one.until("error")
    assert one.end() == 1
    assert not (tmp_path / "r").exists()

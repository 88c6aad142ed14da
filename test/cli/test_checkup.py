"""``cozmo checkup``: what it writes, and what it refuses."""

from __future__ import annotations

import asyncio
import base64
import errno
import io
import json
import os
import statistics
import subprocess
import sys
import zipfile
from argparse import Namespace
from itertools import pairwise
from pathlib import Path

import pytest
from mcap.reader import make_reader

from cozmo_driver.checkup import (
    STEPS,
    Choice,
    Nobody,
    Result,
    Step,
    Verdict,
    chosen_steps,
    load_report,
    state_recorder,
    write_report,
)
from cozmo_driver.cli import checkup as command
from cozmo_driver.cli.checkup import _ask
from cozmo_driver.emulator import Identity, running_emulator
from cozmo_driver.link import FieldRecorder
from cozmo_driver.robot import data_directory, load_robot_calibration

from ..checkup.desk import emulated
from ..robot.virtual import in_virtual_time
from .command import cozmo, run


@pytest.fixture(scope="module")
def port():
    with running_emulator(calibration_time=0.0) as emulator:
        yield emulator.port


def checkup(port: int, *words: str | Path):
    return run("checkup", "--robot", "127.0.0.1", "--port", port, *words)


@pytest.mark.parametrize("with_traffic", [False, True])
def test_the_zip_holds_the_traffic_only_where_that_is_wanted(port, with_traffic, tmp_path):
    words = ["--with-traffic"] if with_traffic else []
    folder = tmp_path / "report"
    code, output, errors = checkup(port, "--yes", "--only", "identity", "--output", folder, *words)

    assert code == 0, errors
    assert "1 passed" in output
    assert load_report(folder).step("identity") is not None
    code, frames, _ = run("decode", folder / "traffic.pcap")
    assert code == 0
    assert "FirmwareVersion" in frames, "the session was not recorded from its beginning"
    assert (folder / "traffic.pcap").stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(tmp_path / "report.zip") as file:
        assert ("report/traffic.pcap" in file.namelist()) is with_traffic


def test_the_states_are_kept_for_foxglove_and_name_nobody(port, tmp_path):
    folder = tmp_path / "report"
    code, _, errors = checkup(port, "--yes", "--only", "sensors", "--output", folder)

    assert code == 0, errors
    with zipfile.ZipFile(tmp_path / "report.zip") as file:
        content = file.read("report/states.mcap")
    messages = list(make_reader(io.BytesIO(content)).iter_messages())
    states = [json.loads(message.data) for _, _, message in messages]
    assert len(states) > 100
    assert {schema.encoding for schema, _, _ in messages} == {"jsonschema"}
    assert messages[0][2].log_time == 0
    steps = [b["robot_time"] - a["robot_time"] for a, b in pairwise(states)]
    assert statistics.median(steps) == pytest.approx(0.03)
    assert states[-1]["acceleration"]["z"] == pytest.approx(9.8, abs=1.5)
    serial = Identity().head_serial
    assert f"{serial:x}".encode() not in content
    assert str(serial).encode() not in content


def test_it_is_a_program_for_ros2_run():
    done = subprocess.run(["checkup", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "a running driver keeps it" in done.stdout


def test_images_are_left_out_where_that_is_wanted(port, tmp_path):
    folder = tmp_path / "report"
    words = ["--yes", "--only", "color", "--no-images", "--output", folder]
    code, _, errors = checkup(port, *words)

    assert code == 0, errors
    assert not (folder / "images").exists()
    assert "data:image" not in (folder / "report.html").read_text()


def test_an_image_is_in_the_states_and_is_left_out_of_every_file(port, tmp_path):
    folder, name = tmp_path / "report", "images/color_color.jpg"
    words = ["--yes", "--only", "color", "camera", "--output", folder, "--with-traffic"]
    code, _, errors = checkup(port, *words)
    assert code == 0, errors
    jpeg = (folder / name).read_bytes()
    assert images(folder)["/images/color_color"] == jpeg

    assert run("checkup", "--output", folder, "--leave-out", name)[0] == 0

    assert not (folder / name).exists()
    assert set(images(folder)) == {"/images/camera_best"}
    in_text = base64.b64encode(jpeg)
    with zipfile.ZipFile(tmp_path / "report.zip") as file:
        contents = {one: file.read(one) for one in file.namelist()}
    assert set(contents) == {
        f"report/{one}"
        for one in ("report.json", "report.html", "states.mcap", "images/camera_best.jpg")
    }
    assert not [one for one, data in contents.items() if in_text in data or jpeg in data]
    assert b"color_color" not in contents["report/report.json"]
    states = list(make_reader(io.BytesIO(contents["report/states.mcap"])).iter_messages())
    assert sum(channel.topic == "/robot_state" for _, channel, _ in states) > 50
    code, _, errors = run("checkup", "--output", folder, "--leave-out", "report.json")
    assert code == 1
    assert "has no image report.json" in errors


def images(folder: Path) -> dict[str, bytes]:
    """Return the images in a file of states, by topic."""
    reader = make_reader(io.BytesIO((folder / "states.mcap").read_bytes()))
    return {
        channel.topic: base64.b64decode(json.loads(message.data)["data"])
        for schema, channel, message in reader.iter_messages()
        if schema is not None and schema.name == "foxglove.CompressedImage"
    }


def test_a_person_at_the_terminal_answers_and_ends(port, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO("\nwhat?\n\ns\nq\n"))
    code, output, errors = checkup(port, "--output", tmp_path / "r", "--skip", "network")

    assert code == 0, errors
    report = load_report(tmp_path / "r")
    verdicts = [(step.name, step.verdict.value) for step in report.steps]
    assert verdicts == [("identity", "passed"), ("battery", "skipped")]
    assert "person" in report.ended
    assert "Sensors at rest" in output


@pytest.mark.parametrize("said", ["n\n", ""])
def test_it_does_not_connect_before_a_person_agrees(said, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    code, output, errors = checkup(9, "--output", tmp_path / "r")

    assert code == 0, errors
    assert "head and lift" in output
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("said", "agreed", "noticed"),
    [
        ("yes\n", True, True),
        ("Y\n", True, True),
        ("no\n", False, False),
        ("n\n", False, False),
        ("\n", True, None),
        ("what?\nYes\n", True, True),
        ("nothing\nno\n", False, False),
        ("what?\n", False, None),
        ("", False, None),
    ],
)
def test_yes_and_no_are_understood_and_nothing_else_is(said, agreed, noticed, monkeypatch):
    terminal = command._Terminal(STEPS)
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    assert asyncio.run(terminal.agrees("Clear a place.")) is agreed
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    assert asyncio.run(terminal.notices("Did it?")) is noticed


def test_what_was_typed_before_a_question_is_no_answer_to_it(monkeypatch):
    master, slave = os.openpty()
    with os.fdopen(slave) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        os.write(master, b"early\n")

        async def ask() -> str | None:
            asking = asyncio.ensure_future(_ask("now? "))
            await asyncio.sleep(0)
            os.write(master, b"later\n")
            return await asking

        assert asyncio.run(ask()) == "later"
    os.close(master)


def test_interrupted_it_writes_what_was_done_until_then(port, tmp_path):
    words = ["--robot", "127.0.0.1", "--port", port, "--yes", "--skip", "network"]
    done = cozmo("checkup", *words, "--output", tmp_path / "r", until="passed   Battery")

    assert done.returncode == 130
    report = load_report(tmp_path / "r")
    assert [step.name for step in report.steps] == ["identity", "battery"]
    assert "interrupted" in report.ended


GIVEN = Namespace(robot="127.0.0.1", port=5551, no_images=True, with_traffic=False, json=False)


@in_virtual_time(emulated())
async def test_interrupted_it_stands_and_keeps_the_link_while_everything_is_written(
    world, tmp_path, monkeypatch
):
    stood = []

    def save(*arguments):
        stood.append(world.firmware.wheels.stand and world.robot.session.is_ready)
        return write_report(*arguments)

    def write_slowly(_, function, *arguments):
        async def write():
            await asyncio.sleep(10.0)
            return function(*arguments)

        return asyncio.ensure_future(write())

    monkeypatch.setattr(command, "write_report", save)
    monkeypatch.setattr(world.loop, "run_in_executor", write_slowly)
    words = GIVEN, world.robot, Nobody(), chosen_steps(STEPS, ["treads"]), tmp_path / "r"
    task = asyncio.ensure_future(command._check(*words, FieldRecorder()))
    await world.until(lambda: not world.firmware.wheels.stand)
    # The first stop is lost.
    world.wire.is_cut = True
    world.loop.call_later(0.03, setattr, world.wire, "is_cut", False)
    task.cancel()
    await world.until(lambda: world.firmware.wheels.stand, 0.3)
    with pytest.raises(asyncio.CancelledError):
        await task

    assert stood == [True]
    assert load_report(tmp_path / "r").ended == "it was interrupted"


@in_virtual_time(emulated())
async def test_what_does_not_fit_on_the_disk_costs_nothing_else(world, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(command, "write_datagrams", full)
    lines = []
    words = GIVEN, world.robot, Nobody(lines.append), chosen_steps(STEPS, ["sensors"])
    code = await command._check(*words, tmp_path / "r", FieldRecorder())

    assert code == 1
    assert "traffic.pcap could not be written: [Errno 28] No space left on device" in lines
    assert load_report(tmp_path / "r").step("sensors") is not None
    serial = world.robot.identity.head_serial
    assert "gyro_zero" in load_robot_calibration(data_directory(), serial).measured
    with zipfile.ZipFile(tmp_path / "r.zip") as file:
        assert {"r/report.json", "r/report.html", "r/states.mcap"} == set(file.namelist())


class Reading(Nobody):
    """Reads for half a minute what a step does."""

    async def choose(self, step, *, can_repeat):
        await asyncio.sleep(30.0)
        return Choice.GO


@in_virtual_time(emulated())
async def test_the_last_step_is_recorded_however_long_people_read(world, tmp_path, monkeypatch):
    monkeypatch.setattr(state_recorder, "_MOST", 500)
    recorded = []

    async def listen(bench):
        recorded.extend(await bench.record(2.0))
        return Result(Verdict.PASSED, "heard")

    steps = [Step(name, name, "", listen) for name in ("first", "last")]
    folder = tmp_path / "r"
    await command._check(GIVEN, world.robot, Reading(), steps, folder, FieldRecorder())

    reader = make_reader(io.BytesIO((folder / "states.mcap").read_bytes()))
    kept = [json.loads(message.data)["robot_time"] for _, _, message in reader.iter_messages()]
    assert kept == [state.robot_time for state in recorded]


def test_what_cannot_be_done_is_refused_before_anything_moves(tmp_path):
    code, _, errors = checkup(9, "--only", "wings")
    assert code == 2
    assert "there is no step wings" in errors

    (tmp_path / "file").write_text("")
    code, _, errors = checkup(9, "--yes", "--output", tmp_path / "file" / "report")
    assert code == 2
    assert "file/report cannot be written: Not a directory; name another by --output" in errors

    (tmp_path / "report.json").write_text("")
    code, _, errors = checkup(9, "--output", tmp_path)
    assert code == 2
    assert "holds a report already" in errors

"""The report: nobody is named in it, and what is read back is whole."""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import math
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from cozmo_driver.checkup import (
    Checkup,
    Files,
    Nobody,
    Picture,
    Quantity,
    ReportError,
    Result,
    Series,
    Step,
    Verdict,
    leave_out,
    load_report,
    load_salt,
    pictures_of,
    report_files,
    report_of,
    save_report,
)
from cozmo_driver.cockpit.reports import Reports
from cozmo_driver.installation import home

from ..robot.virtual import in_virtual_time

JPEG = b"\xff\xd8 no picture \xff\xd9"


def steps_naming(robot):
    """Return steps that tell all that they know."""
    one = robot.identity
    secrets = (
        f"{one.head_serial:08x} {one.body_serial:#X} {one.wifi_flash_id} at {one.address}, "
        f"slow on lo, kept in {home()}/x"
    )
    series = Series("a < b", "s", "m", {"x": [(0.0, 1.0), (1.0, math.nan), (2.0, 3.0)]})
    picture = Picture("one", "<seen>", JPEG, 1.0)
    values = {"told": Quantity(secrets), "unknown": Quantity(math.nan, "s"), "count": Quantity(3)}
    told = Result(Verdict.UNUSUAL, secrets, values, secrets, (series,), (picture,))

    async def run(_):
        return told

    return [Step("naming", "Naming", "", run)]


async def report_on(world):
    checkup = Checkup(world.robot, Nobody(), steps_naming(world.robot))
    await checkup.run()
    return report_of(checkup, world.robot, b"salt")


@in_virtual_time(network_interface="lo")
async def test_texts_are_kept_without_what_names_a_robot_or_a_computer(world, tmp_path):
    report = await report_on(world)
    archive = save_report(report, tmp_path / "r", Files({"images/naming_one.jpg": JPEG}))

    step = report.step("naming")
    assert step.sentence == step.advice == step.values["told"].value
    assert (
        step.sentence
        == "(hidden) 0X(hidden) (hidden) at (hidden), slow on (hidden), kept in (hidden)/x"
    )
    assert archive == tmp_path / "r.zip"
    page = (tmp_path / "r" / "report.html").read_text()
    assert "a &lt; b" in page
    assert "data:image/jpeg;base64," in page
    # What to do stands in the summary, too.
    assert page.count('class="advice"') == 2


@in_virtual_time()
async def test_a_robot_is_told_from_others_by_who_has_its_secret_only(world, tmp_path):
    one, other = load_salt(tmp_path / "one"), load_salt(tmp_path / "other")
    checkup = Checkup(world.robot, Nobody(), [])
    names = [report_of(checkup, world.robot, salt).robot for salt in (one, one, other)]

    assert load_salt(tmp_path / "one") == one
    (tmp_path / "file").write_text("")
    assert load_salt(tmp_path / "file" / "below") != load_salt(tmp_path / "file" / "below")
    assert names[0] == names[1] != names[2]


@in_virtual_time()
async def test_what_is_read_back_is_what_was_written(world, tmp_path):
    report = await report_on(world)
    save_report(report, tmp_path, Files())
    again = load_report(tmp_path / "report.json")

    assert (again.robot, again.date, again.ended) == (report.robot, report.date, "")
    step = again.step("naming")
    assert step.verdict is Verdict.UNUSUAL
    assert math.isnan(step.values["unknown"].value)
    assert step.values["count"] == Quantity(3)
    assert step.series[0].points == {"x": [(0.0, 1.0), (2.0, 3.0)]}
    assert step.pictures == {"images/naming_one.jpg": "<seen>"}
    assert again.step("flying") is None


def change(*path, to):
    def damage(document):
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return damage


DAMAGES = {
    "schema 2, this program reads 1": change("schema", to=2),
    "no report of cozmo checkup": change("format", to="another"),
    "robot is missing": lambda document: document.pop("robot"),
    "verdict is missing": lambda document: document["steps"][0].pop("verdict"),
    "'splendid' is not a valid Verdict": change("steps", 0, "verdict", to="splendid"),
    "'soon' is no number": change("robot_time", to="soon"),
    "3 is no text": change("steps", 0, "title", to=3),
    "a list is missing": change("steps", to={}),
    "NaN is no number": change("steps", 0, "duration", to=math.nan),
    "0000 is no number, or too large": change("robot_time", to=10**400),
    "10000000000000.0 is no number, or too large": change("robot_time", to=1e13),
    "True is no number": change("steps", 0, "attempts", to=True),
    "damaged": change("steps", 0, "values", to=[1]),
}


@pytest.mark.parametrize("reason", DAMAGES)
def test_a_damaged_report_is_refused_with_the_reason(reason, tmp_path):
    @in_virtual_time()
    async def write(world):
        save_report(await report_on(world), tmp_path, Files())

    write()
    path = tmp_path / "report.json"
    document = json.loads(path.read_text())
    DAMAGES[reason](document)
    path.write_text(json.dumps(document))

    with pytest.raises(ReportError, match=reason):
        load_report(path)


def test_what_is_no_file_of_json_is_refused(tmp_path):
    path = tmp_path / "report.json"
    with pytest.raises(ReportError, match="No such file"):
        load_report(path)
    for text in ("", '{"format": "cozmo_dri', "[" * 100_000, "7"):
        path.write_text(text)
        with pytest.raises(ReportError):
            load_report(path)


IMAGES = {
    f"images/naming_{name}.jpg": b"\xff\xd8" + 40 * name.encode()
    for name in ("one", "two", "three")
}
ONE, TWO, THREE = IMAGES
NAME = "cozmo-checkup-20250102-030405"
MEETING = 0.5
"""s that a call waits at most for another that it may have to go before."""


@pytest.fixture
def folder(tmp_path):
    """Have the folder of a report with three images, and its zip."""
    place = tmp_path / NAME

    @in_virtual_time()
    async def write(world):
        report = await report_on(world)
        (step,) = report.steps
        captioned = replace(step, pictures={name: f"<{name}>" for name in IMAGES})
        save_report(replace(report, steps=(captioned,)), place, Files(IMAGES))

    write()
    return place


def shown_in(folder: Path, name: str) -> set[str]:
    """Return the files, in the folder and in the zip, that name an image or have it."""
    parts = (name.encode(), IMAGES[name], base64.b64encode(IMAGES[name]))
    files = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with contextlib.suppress(FileNotFoundError), zipfile.ZipFile(f"{folder}.zip") as archive:
        files |= {f"zip: {one}": archive.read(one) for one in archive.namelist()}
    return {
        place
        for place, content in files.items()
        if place.endswith(name) or any(part in content for part in parts)
    }


def test_images_that_are_left_out_at_the_same_time_are_all_gone(folder, monkeypatch):
    both = threading.Barrier(2)

    def save(*arguments):
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(MEETING)
        return save_report(*arguments)

    monkeypatch.setattr(report_files, "save_report", save)
    with ThreadPoolExecutor() as threads:
        list(threads.map(leave_out, [folder, folder], [[ONE], [TWO]]))

    assert shown_in(folder, ONE) == shown_in(folder, TWO) == set()
    assert list(pictures_of(folder)) == [THREE]


def test_a_report_that_is_deleted_while_an_image_is_left_out_is_gone(folder, monkeypatch):
    saving, deleted = threading.Event(), threading.Event()

    def save(*arguments):
        saving.set()
        deleted.wait(MEETING)
        return save_report(*arguments)

    monkeypatch.setattr(report_files, "save_report", save)
    with ThreadPoolExecutor() as threads:
        leaving = threads.submit(leave_out, folder, [ONE])
        assert saving.wait(10)
        assert Reports(folder.parent).delete(NAME).success
        deleted.set()
        leaving.result()

    assert list(folder.parent.iterdir()) == []


def test_an_image_is_left_out_once_the_disk_has_room_and_in_no_zip_before(folder, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(report_files, "pack", fail)
        with pytest.raises(OSError, match="No space left"):
            leave_out(folder, [ONE])
    assert not folder.with_name(f"{NAME}.zip").exists()
    # It is there to be left out again.
    assert set(pictures_of(folder)) == set(IMAGES)

    leave_out(folder, [ONE])
    assert shown_in(folder, ONE) == set()
    assert shown_in(folder, TWO) >= {f"zip: {NAME}/{TWO}", f"zip: {NAME}/report.html"}

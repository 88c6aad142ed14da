"""Recordings of pages as files, and what pages send as values of parameters."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

from cozmo_driver.cockpit import recordings as module
from cozmo_driver.cockpit.manage import parsed
from cozmo_driver.cockpit.recordings import Recordings

from .paper_robot import PaperRobot


def test_a_recording_is_named_after_its_robot_and_found_once_it_has_ended(tmp_path: Path) -> None:
    async def main() -> None:
        recordings, robot = Recordings(tmp_path / "new"), PaperRobot()
        assert recordings.files() == []
        assert (await recordings.start(robot)).success
        assert not (await recordings.start(robot)).success
        [file] = recordings.files()
        assert re.fullmatch(r"paper-\d{8}-\d{6}\.mcap", file.name)
        assert (file.size, file.is_running) == (1000, True)
        assert recordings.find(file.name) is None
        assert not (await recordings.delete(file.name)).success
        await recordings.stop(robot)
        assert recordings.find(file.name) == tmp_path / "new" / file.name
        assert (await recordings.delete(file.name)).success
        assert recordings.files() == []

    asyncio.run(main())


@pytest.mark.parametrize(
    "name",
    ["notes.txt", "../a-20260101-000000.mcap", "link-20260101-000000.mcap", "", ".", "a.mcap"],
)
def test_nothing_else_is_downloaded_or_deleted(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    outside = tmp_path / "a-20260101-000000.mcap"
    for file in (outside, folder / "notes.txt", folder / "a.mcap"):
        file.touch()
    (folder / "link-20260101-000000.mcap").symlink_to(outside)
    recordings = Recordings(folder)
    assert recordings.find(name) is None
    assert not asyncio.run(recordings.delete(name)).success
    assert outside.exists()


def test_recordings_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES_TOGETHER", 30_000_000)
    (tmp_path / "a-20260101-000000.mcap").write_bytes(b"x" * 10_000_000)
    recordings, robot = Recordings(tmp_path), PaperRobot()
    asyncio.run(recordings.start(robot))
    assert robot.called == [("start_recording", {"most_bytes": 20_000_000})]
    (tmp_path / "b-20260101-000000.mcap").write_bytes(b"x" * 15_000_000)
    answer = asyncio.run(Recordings(tmp_path).start(robot))
    assert not answer.success
    assert "delete a recording" in answer.message


def test_a_folder_that_cannot_be_written_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    folder, robot = tmp_path / "home" / "recordings", PaperRobot()
    answer = asyncio.run(Recordings(folder).start(robot))
    assert not answer.success
    assert f"{folder} cannot be written (Not a directory): make it writable" in answer.message
    assert robot.called == []


def named(name: str) -> PaperRobot:
    robot = PaperRobot()
    robot.name = name
    return robot


def test_what_the_running_ones_may_still_write_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def granted() -> list[int]:
        return [robot.called[0][1]["most_bytes"] for robot in robots if robot.called]

    recordings, robots = Recordings(tmp_path), [named(name) for name in ("one", "two", "three")]
    monkeypatch.setattr(module, "MOST_BYTES", 40_000_000)
    monkeypatch.setattr(module, "MOST_BYTES_TOGETHER", 60_000_000)
    for robot in robots:
        asyncio.run(recordings.start(robot))
    assert granted() == [40_000_000, 20_000_000]
    asyncio.run(recordings.stop(robots[0]))
    # Its file, of 1 kB, is all that is left of it.
    assert asyncio.run(recordings.start(robots[2])).success
    assert granted() == [40_000_000, 20_000_000, 39_999_000]


def test_recordings_leave_half_of_what_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = 100_000_000
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    recordings, one, two = Recordings(tmp_path), named("one"), named("two")
    for robot in (one, two):
        asyncio.run(recordings.start(robot))
    assert one.called[0][1]["most_bytes"] == 50_000_000
    # A running one has 1 kB of its own by now.
    assert two.called[0][1]["most_bytes"] == (free - 50_000_000 + 1000) // 2


@pytest.mark.parametrize(
    ("text", "current", "value"),
    [
        ("true", False, True),
        ("False", True, False),
        ("7", 3, 7),
        ("0.5", 1.0, 0.5),
        ("2", 1.0, 2.0),
        ("[1, 2.5,3]", [0.0], [1.0, 2.5, 3.0]),
        ("a, b", "c", "a, b"),
    ],
)
def test_a_value_has_the_type_of_the_parameter(text: str, current: Any, value: Any) -> None:
    got = parsed(text, current)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("text", "current"),
    [
        ("maybe", True),
        ("1.5", 1),
        ("", 1.0),
        ("inf", 1.0),
        ("1,,2", [1.0]),
        ("x", [1.0]),
        ("nan, 7", [1.0]),
    ],
)
def test_what_is_no_value_is_refused_with_what_it_must_be(text: str, current: Any) -> None:
    with pytest.raises(ValueError, match="it must be"):
        parsed(text, current)

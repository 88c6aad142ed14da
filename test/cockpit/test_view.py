"""What handlers of tabs may do for their page."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

from cozmo_driver.cockpit.express import play_file
from cozmo_driver.cockpit.robot_port import Answer

from .paper_robot import PaperRobot, in_virtual_time, view_of


@in_virtual_time
async def test_only_what_drives_takes_the_wheel_and_a_lost_page_ends_it() -> None:
    robot = PaperRobot()
    view = view_of(robot)
    wheel = view.hub.wheel
    await view.call("connect", moves=True)
    await view.set_parameter("cozmo_driver", "volume", 0.5, moves=True)
    assert wheel.holder == ""
    clip = asyncio.ensure_future(view.do("forever", moves=True))
    await asyncio.sleep(1.0)
    assert wheel.holder == "one"
    await asyncio.sleep(3.0)  # its page is not heard
    assert wheel.holder == ""
    assert clip.done()
    [page] = view.hub.pages.values()
    assert page.outbox is not None
    view.hub.close_channel(page, page.outbox)
    assert "not connected" in (await view.do("play_animation", moves=True)).message


@in_virtual_time
async def test_nothing_moves_while_another_page_drives() -> None:
    robot = PaperRobot()
    view = view_of(robot)
    view.hub.wheel.claim("two")
    for answer in (
        await view.call("connect", moves=True),
        await view.set_parameter("cozmo_driver", "volume", 0.5, moves=True),
        await view.do("play_animation", moves=True, name="x"),
    ):
        assert "another page has the wheel" in answer.message
    assert robot.called == []


class Deaf(PaperRobot):
    async def do(self, action: str, **fields: Any) -> Answer:
        return Answer(False, f"{fields['file']} is no sound: it has {fields['file']!r}")


@in_virtual_time
async def test_what_is_wrong_with_a_sound_is_said_of_the_users_file() -> None:
    view = view_of(Deaf())
    answer = await play_file(view, "my song.wav", b"nonsense")
    assert answer.message == "my song.wav is no sound: it has 'my song.wav'"
    answer = await play_file(view, "letter.txt", b"Dear robot")
    assert answer.message.startswith("letter.txt: a sound is a .wav")
    answer = await play_file(view, "../long.wav", bytes(10_000_001))
    assert answer.message == "long.wav: a sound has 10 MB at most"


def test_a_sound_that_cannot_be_kept_is_said_with_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    robot = PaperRobot()

    async def play() -> Answer:
        return await play_file(view_of(robot), "song.wav", b"nonsense")

    answer = asyncio.run(play())
    assert f"song.wav cannot be written to {tmp_path / 'file'} (Not a directory)" in answer.message
    assert robot.called == []

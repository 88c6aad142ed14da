"""A robot on paper: what is commanded is written down, what it shows is put in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from cozmo_driver.cockpit.hub import Hub, Page
from cozmo_driver.cockpit.recordings import Recordings
from cozmo_driver.cockpit.robot_port import Answer, ParameterInfo, Picture, RecordingState, Velocity
from cozmo_driver.cockpit.view import View
from cozmo_driver.virtual_time import run_in_virtual_time


class PaperRobot:
    """Implements ``RobotPort``."""

    name = "paper"
    feeds = frozenset({"status", "battery"})
    pictures = frozenset({"camera"})
    limits: Mapping[str, float] = {"linear": 0.2, "angular": 5.0}

    def __init__(self) -> None:
        self.started: list[str] = []
        self.starts = 0
        self.driven: list[Velocity] = []
        self.published: list[tuple[str, dict[str, Any]]] = []
        self.called: list[tuple[str, dict[str, Any]]] = []
        self.news: dict[str, Any] = {}
        self.hangs = False
        """Services never answer, goals never end."""

    def start(self, feed: str) -> None:
        self.started.append(feed)
        self.starts += 1

    def stop(self, feed: str) -> None:
        self.started.remove(feed)

    def poll(self, feed: str) -> Any:
        return self.news.pop(feed, None)

    def drive(self, velocity: Velocity) -> None:
        self.driven.append(velocity)

    def publish(self, topic: str, **fields: Any) -> None:
        self.published.append((topic, fields))

    async def call(self, service: str, **fields: Any) -> Answer:
        self.called.append((service, fields))
        if self.hangs or service == "forever":
            await asyncio.Event().wait()
        return Answer(True, "done")

    async def parameter(self, node: str, name: str) -> Any:
        return None

    async def set_parameter(self, node: str, name: str, value: Any) -> Answer:
        return await self.call(f"{node}/set_parameters", **{name: value})

    async def parameters(self, node: str) -> Sequence[ParameterInfo]:
        return ()

    @property
    def recording(self) -> RecordingState | None:
        return None

    async def start_recording(self, path: Path, most_bytes: int) -> Answer:
        """Write a file, as a robot's recorder does."""
        path.write_bytes(bytes(1000))
        return await self.call("start_recording", most_bytes=most_bytes)

    async def stop_recording(self) -> Answer:
        return await self.call("stop_recording")

    async def do(self, action: str, **fields: Any) -> Answer:
        return await self.call(action, **fields)


def picture(text: str) -> Picture:
    return Picture(0.05, text.encode())


def in_virtual_time(work: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Make a test of a coroutine; its sleeps take no time."""

    def test() -> None:
        run_in_virtual_time(work())

    test.__name__ = work.__name__
    return test


def view_of(robot: PaperRobot, folder: Path = Path("/nowhere"), *, read_only: bool = False) -> View:
    """Return the view of an open page, for its own requests; recordings go to ``folder``."""
    hub, page = Hub(robot), Page("one", "one")
    hub.add(page)
    hub.open_channel(page)
    return View(hub, page, Recordings(folder), read_only=read_only)

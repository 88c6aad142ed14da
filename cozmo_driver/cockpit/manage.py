"""Manage: the link, who the robot is, its storage, recordings, parameters, log and events."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from nicegui import ui

from ..robot import USER_ENTRIES, entry_name
from . import parameters
from .recordings import RecordingFile
from .view import View, card

_ADVICE = "Start it with make run, or in the launch file."
_PERIOD = 1.0
_READ_ME = """\
What the app has kept in the storage of the robot {serial}, read on {date}.
An entry that is not here is empty. To write one back:

    cozmo nv write game_unlocks game_unlocks.bin

which only shows what would change, until --yes is added.
"""


def build(view: View) -> None:
    with ui.element("div").classes("cz-manage"):
        with ui.element("div"):
            _add_link(view)
            with card("Robot"):
                ui.element("cozmo-facts").props("feed=info")
            _Storage(view)
        with ui.element("div"):
            parameters.add(view)
        with ui.element("div"):
            _Recorder(view)
            with card("Events"):
                ui.element("cozmo-log").props('feed=events label="Events of the robot"')
    with card("Log"):
        ui.element("cozmo-log").props('feed=log with-level label="Log of the robot\'s nodes"')


# -- link


def _add_link(view: View) -> None:
    async def calibrate() -> None:
        calibration.props("loading").disable()
        answer = await view.call("calibrate_motors", moves=True)
        calibration.props(remove="loading").enable()
        if answer.success:
            ui.notify(answer.message, type="positive")

    with card("Connection"):
        state = ui.label("driver not heard").classes("cz-state").props("role=status")
        advice = ui.label(_ADVICE).classes("cz-dim")
        with ui.element("div").classes("cz-row"):
            connect = _button("Connect", lambda: view.call("connect", moves=True))
            disconnect = _button("Disconnect", lambda: view.call("disconnect", moves=True))
            calibration = _button("Calibrate head and lift", calibrate).props("flat")
    for button in (connect, disconnect, calibration):
        button.set_visibility(False)

    def on_connection(connection: Mapping[str, Any]) -> None:
        state.set_text(connection["text"])
        advice.set_text(connection["message"])
        connect.set_visibility(not connection["is_wanted"])
        disconnect.set_visibility(connection["is_wanted"])
        calibration.set_visibility(connection["is_connected"])

    view.watch("connection", on_connection)


def _button(text: str, on_click: Any) -> ui.button:
    return ui.button(text, on_click=on_click).props("no-caps")


# -- storage


class _Storage:
    """Everything of the app in a robot's storage, as one file to download."""

    def __init__(self, view: View) -> None:
        self._view = view
        with card("Storage"):
            ui.label(
                "What the app has kept in the robot: skills, unlocked games, known faces, needs, "
                "cubes. The command cozmo nv backup makes a file for cozmo nv restore instead."
            ).classes("cz-dim")
            with ui.element("div").classes("cz-row"):
                self._button = _button("Download", self._download)
                self._progress = ui.label("").classes("cz-dim").props("role=status")

    async def _download(self) -> None:
        self._button.disable()
        try:
            data = await self._read()
        finally:
            self._button.enable()
        if not data:
            self._progress.set_text("every entry is empty" if data == {} else "it cannot be read")
            return
        now, serial = datetime.now(), (self._view.hub.latest("info") or {}).get("serial", "robot")
        read_me = _READ_ME.format(serial=serial, date=f"{now:%Y-%m-%d %H:%M}")
        name = f"cozmo-{serial}-storage-{now:%Y%m%d-%H%M%S}.zip"
        ui.download.content(zipped({"README.txt": read_me.encode(), **data}), name)
        self._progress.set_text(f"{len(data)} of {len(USER_ENTRIES)} entries have a content")

    async def _read(self) -> dict[str, bytes] | None:
        """Return the contents by file name, None where one cannot be read."""
        contents: dict[str, bytes] = {}
        for number, tag in enumerate(USER_ENTRIES, 1):
            self._progress.set_text(f"reading entry {number} of {len(USER_ENTRIES)}")
            answer = await self._view.call("nv_read", tag=int(tag))
            if not answer.success:
                return None
            if len(answer.fields["data"]):
                name = entry_name(tag).split()[0].lower()
                contents[f"{name}.bin"] = bytes(answer.fields["data"])
        return contents


def zipped(files: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


# -- recordings


class _Recorder:
    """Recordings of all topics of the robot; every page of the cockpit has the same ones."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._shown: Sequence[RecordingFile] = ()
        with card("Recordings"):
            ui.label(
                "All topics of the robot as an MCAP file, which Foxglove and ros2 bag open; "
                "pictures as the robot sends them. At most 1 GB each, 4 GB together."
            ).classes("cz-dim")
            with ui.element("div").classes("cz-row"):
                self._start = _button("Record", lambda: self._run(view.recordings.start))
                self._stop = _button("Stop", lambda: self._run(view.recordings.stop))
                self._stop.props('color=negative aria-label="Stop the recording"')
                self._state = ui.label("").classes("cz-dim").props("role=status")
            self._list = ui.element("ul").classes("cz-list")
        ui.timer(_PERIOD, self._update)

    async def _run(self, work: Any) -> None:
        await self._view.run(lambda: work(self._view.robot))
        await self._update()

    async def _delete(self, name: str) -> None:
        await self._view.run(lambda: self._view.recordings.delete(name))
        await self._update()

    async def _update(self) -> None:
        recording = self._view.robot.recording
        if recording and recording.error:
            # It has ended by itself; all that is left is to close the file.
            await self._view.recordings.stop(self._view.robot)
            ui.notify(recording.error, type="warning", position="top", multi_line=True)
            recording = None
        self._start.set_visibility(recording is None)
        self._stop.set_visibility(recording is not None)
        text = f"{_megabytes(recording.size)}, {recording.topics} topics" if recording else ""
        if recording and recording.dropped:
            text += f", {recording.dropped} messages dropped: the disk is too slow"
        self._state.set_text(text)
        files = [file for file in self._view.recordings.files() if not file.is_running]
        if files != self._shown:
            self._shown = files
            self._list.clear()
            with self._list:
                for file in files:
                    self._add_file(file)

    def _add_file(self, file: RecordingFile) -> None:
        with ui.element("li"):
            link = ui.link(file.name, f"/recordings/{quote(file.name)}").classes("cz-grow")
            link.props(f'download="{file.name}"')
            ui.label(_megabytes(file.size)).classes("cz-dim")
            delete = ui.button(icon="delete", on_click=lambda: self._delete(file.name))
            delete.props(f'flat round dense aria-label="Delete {file.name}"')


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"

"""The commands of ``cozmo emulator ctl`` and the socket they come through."""

from __future__ import annotations

import asyncio
import json
import math
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.emulator.commands import CommandRefused, perform
from cozmo_driver.emulator.control import LONGEST, ControlError, ControlServer, ask, socket_path
from cozmo_driver.protocol.messages import BackpackButton, RobotPoked

from ..bench import Bench
from .worlds import TABLE, bench_in


@pytest.fixture(scope="module")
def bench() -> Bench:
    return bench_in(TABLE, cubes=[{"number": 1, "x": 0.15, "y": 0.0}])


def do(bench: Bench, name: str, **values: Any) -> dict[str, Any]:
    answer = perform(bench.firmware, {"do": name, **values})
    bench.run(1.0)
    return answer


def test_hands_reach_everything(bench: Bench) -> None:
    bench.forget()
    do(bench, "poke")
    do(bench, "button")
    assert len(bench.got(RobotPoked)) == 1
    assert [m.pressed for m in bench.got(BackpackButton)] == [True, False]
    do(bench, "turn-over", posture="left")
    assert do(bench, "status")["posture"] == "left"
    do(bench, "putdown")
    do(bench, "move-cube", cube=1, x=-0.2, y=0.1, yaw=45)
    assert do(bench, "status")["cubes"]["1"] == {"x": -0.2, "y": 0.1, "yaw": 45.0}
    assert do(bench, "tap", cube=1) == {"told": False}
    do(bench, "battery", volts=3.5)
    assert do(bench, "status")["battery_volts"] == pytest.approx(3.5, abs=0.001)
    do(bench, "light", level=0.2)
    assert bench.firmware.camera.light == 0.2
    do(bench, "charger", state="on")
    assert do(bench, "status")["charging"] is True
    do(bench, "charger", state="off")
    do(bench, "shake", seconds=0.5)
    do(bench, "flip-cube", cube=1, up="x+")
    do(bench, "fall")
    assert do(bench, "status")["posture"] == "face"
    do(bench, "putdown", x=0, y=0)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (None, "mapping"),
        ([], "mapping"),
        ({}, "there is no command 'None'; there are: status, pickup"),
        ({"do": "explode"}, "no command 'explode'"),
        ({"do": ["pickup"]}, "no command"),
        ({"do": "pickup", "x": 1}, "'x' is not known"),
        ({"do": "putdown", "x": 0.1}, "both x and y"),
        ({"do": "putdown", "x": 0.1, "y": "0"}, "y is '0': give a number"),
        ({"do": "putdown", "x": 0.1, "y": math.nan}, "y is nan: give a number from -100 to 100"),
        ({"do": "putdown", "x": 9.0, "y": 0.0}, "no floor"),
        ({"do": "putdown", "x": 0.15, "y": 0.0, "yaw": True}, "yaw is True"),
        ({"do": "turn-over", "posture": "upside"}, "back, face, left, right, slope"),
        ({"do": "tap"}, "cube is missing: give number of the cube"),
        ({"do": "tap", "cube": 1.5}, "whole number"),
        ({"do": "tap", "cube": 2}, "no cube 2 in reach"),
        ({"do": "move-cube", "cube": 3, "x": 0, "y": 0}, "there is no cube 3"),
        ({"do": "battery", "volts": 12}, "from 3 to 4.05"),
        ({"do": "shake", "seconds": 1e9}, "seconds"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(
    bench: Bench, request_: object, told: str
) -> None:
    before = bench.state.pose
    with pytest.raises(CommandRefused) as refused:
        perform(bench.firmware, request_)
    assert told in str(refused.value)
    assert bench.state.pose == before


# -- the socket


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.sock"


class Served:
    """A control server whose robot is a list of what it was asked."""

    def __init__(self, path: Path) -> None:
        self.asked: list[object] = []
        self.server = ControlServer(self.perform, path)

    def perform(self, request: object) -> dict[str, Any]:
        self.asked.append(request)
        if request == {"do": "no"}:
            raise CommandRefused("not like this")
        return {"number": len(self.asked)}


@pytest.fixture
def served(path: Path) -> Iterator[Served]:
    yield Served(path)
    assert not path.exists()


def talk(served: Served, *lines: bytes) -> list[dict[str, Any]]:
    """Send lines over one connection; return the answers until the server ends it."""

    async def run() -> list[dict[str, Any]]:
        await served.server.start()
        try:
            reader, writer = await asyncio.open_unix_connection(served.server.path)
            for line in lines:
                writer.write(line)
            writer.write_eof()
            answers = await asyncio.wait_for(reader.read(), 20.0)
            writer.close()
            return [json.loads(line) for line in answers.splitlines()]
        finally:
            await served.server.stop()

    return asyncio.run(run())


def test_each_line_is_answered_by_a_line(served: Served) -> None:
    assert talk(served, b'{"do": "a"}\n{"do": "no"}\n', b'{"do": "b"}\n') == [
        {"ok": True, "number": 1},
        {"ok": False, "error": "not like this"},
        {"ok": True, "number": 3},
    ]
    assert served.asked[0] == {"do": "a"}


@pytest.mark.parametrize("line", [b"\n", b"{\n", b"\xff\xfe\n", b"[" * 3000 + b"\n"])
def test_what_is_no_json_is_refused_and_the_next_line_answered(served: Served, line: bytes) -> None:
    wrong, right = talk(served, line, b'{"do": "a"}\n')
    assert wrong == {"ok": False, "error": "a request is one line of JSON"}
    assert right["ok"]


def test_a_line_without_end_closes_the_connection(served: Served) -> None:
    assert talk(served, b"x" * (3 * LONGEST)) == []
    assert not served.asked


def test_only_the_user_may_open_the_socket(served: Served, path: Path) -> None:
    async def run() -> int:
        await served.server.start()
        mode = stat.S_IMODE(path.stat().st_mode)
        await served.server.stop()
        return mode

    assert asyncio.run(run()) == 0o600


def test_sockets_of_emulators_that_were_killed_are_swept(tmp_path: Path) -> None:
    dead, other = tmp_path / "cozmo-emulator-127.0.0.1-1.sock", tmp_path / "other.sock"
    for path in (dead, other):
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(str(path))
    alive = Served(tmp_path / "cozmo-emulator-127.0.0.1-2.sock")
    newer = Served(tmp_path / "cozmo-emulator-127.0.0.1-3.sock")

    async def run() -> None:
        await alive.server.start()
        await newer.server.start()
        assert not dead.exists()
        assert other.exists()
        assert alive.server.path.exists()
        await alive.server.stop()
        await newer.server.stop()

    asyncio.run(run())


def test_without_an_emulator_asking_says_what_to_do(path: Path) -> None:
    with pytest.raises(ControlError, match="start one with cozmo emulator"):
        ask(path, {"do": "status"})


def test_the_socket_is_in_a_folder_of_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert socket_path("127.0.0.1", 5551) == tmp_path / "cozmo-emulator-127.0.0.1-5551.sock"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    folder = socket_path("127.0.0.1", 5551).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    with pytest.raises(ControlError, match="remove it"):
        socket_path("127.0.0.1", 5551)


def test_where_there_can_be_no_socket_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/dev/null")
    with pytest.raises(ControlError, match="no folder for the control socket: Not a directory"):
        socket_path("127.0.0.1", 5551)
    # As what another user left in a shared folder, it cannot be removed.
    taken = tmp_path / "c.sock"
    taken.mkdir()
    with pytest.raises(ControlError, match="cannot make the control socket"):
        asyncio.run(Served(taken).server.start())

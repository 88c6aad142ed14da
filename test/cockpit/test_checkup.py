"""A checkup that a page leads: over the graph, with a driver that gives its robot away and back."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")
pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

import httpx
import websockets.exceptions
import websockets.sync.client
from std_srvs.srv import Trigger

from cozmo_driver.checkup import load_report
from cozmo_driver.cockpit import checkup_run
from cozmo_driver.cockpit.checkup_run import CheckupRun
from cozmo_driver.cockpit.reports import Reports
from cozmo_driver.emulator import running_emulator
from cozmo_interfaces.msg import ConnectionState, RobotStatus

from ..nodes.graph import LATCHED, running_node, wait_until
from ..waiting import TIMEOUT
from .browser import serious_findings, wait_for_driving, wait_for_standstill
from .conftest import Served
from .paper_robot import PaperRobot
from .test_node import ADDRESS

STEPS = 4 * TIMEOUT
_numbers = itertools.count(1)


class Page:
    """The channel of a page: what it is told of the checkup, and what it asks for."""

    def __init__(self, served: Served) -> None:
        self.url = served.url
        self.shown: dict[str, Any] = {}
        self._answers: dict[int, Any] = {}
        name = served.graph.namespace.strip("/")
        address = f"{self.url.replace('http', 'ws')}channel?robot={name}"
        self._open = ExitStack()
        self._socket = self._open.enter_context(
            websockets.sync.client.connect(
                f"{address}&page={next(_numbers):032x}", origin=self.url.rstrip("/")
            )
        )
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: self.shown, "it is not greeted")

    def _read(self) -> None:
        with suppress(websockets.exceptions.ConnectionClosed):
            self._take_in()

    def _take_in(self) -> None:
        for message in self._socket:
            values = json.loads(message)
            for feed, value in values.items():
                if feed.startswith("answer "):
                    self._answers[int(feed.split()[1])] = value
            self.shown = values.get("checkup", self.shown)
            if "hello" not in values:
                self._socket.send(json.dumps({"ack": "text"}))

    def ask(self, request: str, /, **values: Any) -> Any:
        number = next(_numbers)
        self._socket.send(json.dumps({"ask": [number, request, values]}))
        return wait_until(lambda: self._answers.get(number), f"{request} is not answered")

    def answer(self, kind: str, value: Any) -> None:
        """Wait for a question and answer it."""

        def asked() -> Any:
            question = self.shown["question"]
            return question if question and question["kind"] == kind else None

        question = wait_until(asked, f"{kind} is not asked: {self.shown}", STEPS)
        given = self.ask("checkup_answer", number=question["number"], value=value)
        assert given["success"], given

    def start(self, *steps: str) -> None:
        started = self.ask("checkup_start", steps=steps, images=True)
        assert started["success"], started

    def wait_for_end(self) -> None:
        wait_until(lambda: self.shown["stage"] == "idle", "it does not end", STEPS)

    def close(self) -> None:
        self._open.close()


@pytest.fixture
def page(served: Served) -> Iterator[Page]:
    page = Page(served)
    yield page
    page.close()
    served.graph.call(Trigger, "release_stop")
    wait_for_driver(served)


def wait_for_driver(served: Served) -> None:
    """Wait until the driver has the robot."""
    states = served.graph.listen(ConnectionState, "connection_state", LATCHED)
    wait_until(
        lambda: states.messages and states.messages[-1].state == ConnectionState.CONNECTED,
        "the driver does not connect again",
    )


def drive(page: Page, served: Served) -> None:
    """Start a checkup that drives for 19 s."""
    page.start("shaking")
    page.answer("choose", "go")
    page.answer("agrees", True)
    wait_for_driving(served)


def reports(page: Page) -> list[str]:
    names: list[str] = page.ask("checkup_reports")["names"]
    return names


def test_a_page_leads_it_and_has_its_report_and_the_driver_its_robot(
    page: Page, served: Served
) -> None:
    page.start("identity", "display", "color")
    page.answer("choose", "go")
    refused = page.ask("connect")
    assert (refused["success"], refused["message"]) == (
        False,
        "a checkup has the robot: end it first",
    )
    page.answer("choose", "go")
    page.answer("notices", False)
    page.answer("choose", "go")
    page.wait_for_end()

    verdicts = {name: one["verdict"] for name, one in page.shown["results"].items()}
    assert verdicts == {"identity": "passed", "display": "failed", "color": "passed"}
    assert page.shown["results"]["display"]["advice"]
    wait_for_driver(served)
    name = page.shown["report"]
    assert reports(page)[0] == name
    for file, kind in (("report.html", "text/html"), ("report.zip", "application/zip")):
        got = httpx.get(f"{page.url}checkups/{name}/{file}", timeout=TIMEOUT)
        assert got.status_code == 200
        assert got.headers["content-type"].startswith(kind)
        # A page of its own could act as the cockpit's.
        assert got.headers["content-disposition"].startswith("attachment")
    pictures = page.ask("checkup_pictures", name=name)["pictures"]
    assert list(pictures) == ["images/color_color.jpg"]
    image = f"{page.url}checkups/{name}/images/color_color.jpg"
    assert httpx.get(image, timeout=TIMEOUT).content[:2] == b"\xff\xd8"
    assert page.ask("checkup_without", name=name, picture="images/color_color.jpg")["success"]
    assert httpx.get(image, timeout=TIMEOUT).status_code == 404
    for other in ("report.json", "traffic.pcap", "..%2F..%2Fsalt"):
        assert httpx.get(f"{page.url}checkups/{name}/{other}", timeout=TIMEOUT).status_code == 404
    assert page.ask("delete_checkup", name=name)["success"]
    assert name not in reports(page)


def test_stop_stops_the_robot_that_the_checkup_has_and_stays_latched(
    page: Page, served: Served
) -> None:
    drive(page, served)
    name = served.graph.namespace.strip("/")
    answer = httpx.post(
        f"{page.url}stop?robot={name}", headers={"origin": page.url.rstrip("/")}, timeout=TIMEOUT
    )
    # A busy computer may answer too late; what counts is that the robot stands.
    assert answer.json()["success"] or "has not answered" in answer.json()["message"]
    wait_for_standstill(served)
    page.wait_for_end()
    wait_for_driver(served)
    status = served.graph.listen(RobotStatus, "status")
    status.wait_for(lambda message: message.is_emergency_stopped)
    assert page.shown["report"]


def test_without_its_page_the_robot_stands_until_another_goes_on_and_ends_it(
    page: Page, served: Served
) -> None:
    leading = Page(served)
    drive(leading, served)
    leading.close()
    page.answer("choose", "go")
    assert page.shown["results"]["shaking"]["sentence"] == "interrupted: nobody watched the robot"
    wait_for_driving(served)
    assert page.ask("checkup_end")["success"]
    page.wait_for_end()
    wait_for_standstill(served)
    wait_for_driver(served)
    folder = Path(os.environ["XDG_DATA_HOME"]) / "cozmo_driver/checkups" / page.shown["report"]
    assert load_report(folder).ended == "it was interrupted"


class Lender(PaperRobot):
    """A robot on paper, whose driver lends an emulated one."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._parameters = {"robot_address": "127.0.0.1", "robot_port": port}

    async def parameter(self, node: str, name: str) -> Any:
        return self._parameters.get(name, "")


def test_where_no_page_comes_back_it_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("_GRACE", "_AWAY"):
        monkeypatch.setattr(checkup_run, name, 0.1)

    async def lead(port: int) -> Any:
        run = CheckupRun(Lender(port), Reports(tmp_path), lambda _: None)

        async def is_asked(number: int) -> None:
            while not (run.shown["question"] and run.shown["question"]["number"] == number):
                await asyncio.sleep(0.05)

        run.start("one", ["identity", "battery"], with_images=False)
        await is_asked(1)
        run.answer("one", 1, "go")
        await is_asked(2)
        run.leave("one")
        while run.has_robot:
            await asyncio.sleep(0.05)
        return run.shown

    with running_emulator(calibration_time=0.0) as emulator:
        shown = asyncio.run(asyncio.wait_for(lead(emulator.port), STEPS))
    assert list(shown["results"]) == ["identity"]
    assert load_report(tmp_path / shown["report"]).ended == "it was interrupted"


def test_an_outcome_is_shown_in_place_of_what_was_told_of_it(tmp_path: Path) -> None:
    shown: list[Any] = []

    async def lead(port: int) -> None:
        run = CheckupRun(Lender(port), Reports(tmp_path), shown.append)
        run.start("one", ["identity"], with_images=False)
        while not run.shown["question"]:
            await asyncio.sleep(0.05)
        run.answer("one", run.shown["question"]["number"], "go")
        while run.has_robot:
            await asyncio.sleep(0.05)

    with running_emulator(calibration_time=0.0) as emulator:
        asyncio.run(asyncio.wait_for(lead(emulator.port), STEPS))
    first = next(one for one in shown if one["results"])
    assert first["told"] == ""


def test_a_report_that_cannot_be_written_is_told_at_the_end(tmp_path: Path) -> None:
    async def lead(port: int) -> Any:
        run = CheckupRun(Lender(port), Reports(tmp_path), lambda _: None)
        run.start("one", ["identity", "battery"], with_images=False)
        for number, value in ((1, "go"), (2, "stop")):
            while not (run.shown["question"] and run.shown["question"]["number"] == number):
                await asyncio.sleep(0.05)
            [folder] = tmp_path.iterdir()
            # In the way of the file.
            (folder / "report.json").mkdir(exist_ok=True)
            run.answer("one", number, value)
        while run.has_robot:
            await asyncio.sleep(0.05)
        return run.shown

    with running_emulator(calibration_time=0.0) as emulator:
        shown = asyncio.run(asyncio.wait_for(lead(emulator.port), STEPS))
    assert "the report could not be written" in shown["message"]
    assert list(shown["results"]) == ["identity"]


def test_without_a_place_for_its_report_the_driver_keeps_the_robot(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.touch()

    async def lead() -> tuple[Any, Any]:
        robot = Lender(1)
        run = CheckupRun(robot, Reports(home / "checkups"), lambda _: None)
        run.start("one", ["identity"], with_images=False)
        while run.has_robot:
            await asyncio.sleep(0)
        return run.shown, [name for name, _ in robot.called]

    shown, called = asyncio.run(asyncio.wait_for(lead(), STEPS))
    said = f"{home / 'checkups'} cannot be written (Not a directory): make it writable"
    assert said in shown["message"]
    assert "disconnect" not in called


def test_a_program_that_dies_leaves_a_robot_that_stands_and_is_stopped(
    page: Page, served: Served
) -> None:
    drive(page, served)
    os.kill(child_of(served.node.process.pid), signal.SIGKILL)
    page.wait_for_end()
    assert "ended unexpectedly" in page.shown["message"]
    wait_for_driver(served)
    wait_for_standstill(served)
    status = served.graph.listen(RobotStatus, "status")
    status.wait_for(lambda message: message.is_emergency_stopped)


def child_of(process: int) -> int:
    [child] = [
        int(path.name)
        for path in Path("/proc").glob("[0-9]*")
        if f"\nPPid:\t{process}\n" in read(path / "status")
    ]
    return child


def read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""  # it has ended meanwhile


@contextmanager
def another_cockpit(served: Served) -> Iterator[Served]:
    with running_node("cockpit_node", served.graph.namespace, cockpit_port=0) as node:
        found = wait_until(lambda: ADDRESS.search(node.log), "it does not listen", STEPS)
        yield Served(found[1], served.emulator, served.graph, node)


def test_a_cockpit_that_is_ended_has_the_robot_back_with_its_driver(served: Served) -> None:
    with another_cockpit(served) as other:
        page = Page(other)
        drive(page, other)
        assert other.node.stop() == 0
    wait_for_standstill(served)
    wait_for_driver(served)


@pytest.fixture
def telephone(served: Served, browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    shown = context.new_page()
    shown.set_default_timeout(1000 * TIMEOUT)
    shown.errors = []
    shown.on("pageerror", lambda error: shown.errors.append(str(error)))
    shown.goto(f"{served.url}?tab=checkup")
    shown.get_by_role("button", name="Start", exact=True).wait_for()
    yield shown
    context.close()


def do_first_step(shown: Any, second: str) -> None:
    """Choose *Identity and firmware* and a second step, and be led to that."""
    shown.get_by_role("button", name="Choose none").click()
    for title in ("Identity and firmware", second):
        shown.get_by_role("checkbox", name=title, exact=True).check()
    shown.get_by_role("button", name="Start", exact=True).click()
    shown.get_by_role("heading", name="1 of 2: Identity and firmware").wait_for()
    shown.get_by_role("button", name="Begin").click()
    shown.get_by_role("heading", name=f"2 of 2: {second}").wait_for()


def test_a_person_is_led_through_it_by_the_page_of_a_telephone(
    served: Served, telephone: Any
) -> None:
    shown = telephone
    assert serious_findings(shown) == []
    do_first_step(shown, "Display")
    assert shown.get_by_role("button", name="Repeat the step before").is_visible()
    shown.get_by_role("button", name="Begin").click()
    shown.get_by_text("Does its display show a chessboard in a frame?").wait_for()
    assert serious_findings(shown) == []
    shown.get_by_role("button", name="Yes").click()
    shown.get_by_text("2 passed", exact=True).wait_for()
    with shown.expect_download() as download:
        shown.get_by_role("link", name="report.html").first.click()
    text = Path(download.value.path()).read_text()
    assert "Checkup of a Cozmo" in text
    assert shown.errors == []
    wait_for_driver(served)


def test_a_page_tells_that_the_robot_is_waited_for(served: Served, telephone: Any) -> None:
    shown = telephone
    do_first_step(shown, "Battery")
    shown.get_by_text("Identity and firmware: passed").wait_for()
    served.emulator.kill()
    try:
        shown.get_by_role("button", name="Begin").click()
        shown.get_by_text("waiting for the robot. Fingers away").wait_for()
    finally:
        served.emulator.restart()
    shown.get_by_text("2 passed", exact=True).wait_for()
    assert shown.errors == []
    wait_for_driver(served)

"""Who drives, and what pages are sent, on a robot on paper and in virtual time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.cockpit.channel import BadMessage, Channel
from cozmo_driver.cockpit.hub import LINGER, Hub, Page
from cozmo_driver.cockpit.outbox import Outbox
from cozmo_driver.cockpit.recordings import Recordings
from cozmo_driver.cockpit.robot_port import STANDING, Velocity
from cozmo_driver.cockpit.view import View
from cozmo_driver.cockpit.wheel import TIMEOUT
from cozmo_driver.virtual_time import run_in_virtual_time as run

from .paper_robot import PaperRobot, picture

FORWARD = Velocity(0.1)


def channel_of(hub: Hub, page: Page, outbox: Outbox, *, read_only: bool = False) -> Channel:
    return Channel(View(hub, page, Recordings(Path()), read_only=read_only), outbox)


class Browser:
    """One page: its channel, and what it has been sent, acknowledged or not."""

    def __init__(self, hub: Hub, name: str, *, acknowledges: bool = True) -> None:
        self.page = Page(name, name)
        hub.add(self.page)
        self.outbox = hub.open_channel(self.page)
        self.channel = channel_of(hub, self.page, self.outbox)
        self.received: list[Any] = []
        self._acknowledges = acknowledges
        self.task = asyncio.ensure_future(self._receive(self.outbox))

    async def _receive(self, outbox: Outbox) -> None:
        while (message := await outbox.next()) is not None:
            is_text = isinstance(message, str)
            self.received.append(json.loads(message) if is_text else message)
            if self._acknowledges:
                self.send("ack", "text" if is_text else "camera")

    def send(self, kind: str, value: Any) -> None:
        self.channel.on_message(json.dumps({kind: value}))

    @property
    def pictures(self) -> list[bytes]:
        return [one[5 + one[0] :] for one in self.received if isinstance(one, bytes)]

    def latest(self, feed: str) -> Any:
        return [one[feed] for one in self.received if isinstance(one, dict) and feed in one][-1]


def status(*, stopped: bool = False, held: bool = False) -> dict[str, bool]:
    return {"is_stopped": stopped, "is_held": held}


def hub_test(
    work: Callable[[PaperRobot, Hub], Coroutine[Any, Any, None]],
) -> Callable[[], None]:
    def test() -> None:
        async def main() -> None:
            robot = PaperRobot()
            await work(robot, Hub(robot))

        run(main())

    test.__name__ = work.__name__
    return test


@hub_test
async def test_the_first_page_that_drives_has_the_wheel(robot: PaperRobot, hub: Hub) -> None:
    one, two = Browser(hub, "one"), Browser(hub, "two")
    one.send("drive", FORWARD)
    two.send("drive", [-0.1, 0, 0, 0])
    two.send("move", {"head": 0.5})
    await asyncio.sleep(0.01)
    assert robot.driven == [FORWARD]
    assert robot.published == []
    assert one.latest("wheel") == {"holder": "you", "name": "one"}
    # Whoever knew a page's id could open its channel.
    assert two.latest("wheel") == {"holder": "other", "name": "one"}


@hub_test
async def test_who_takes_over_stops_the_other_and_drives(robot: PaperRobot, hub: Hub) -> None:
    one, two = Browser(hub, "one"), Browser(hub, "two")
    one.send("drive", FORWARD)
    two.send("wheel", "take")
    one.send("drive", FORWARD)
    two.send("drive", [0, 1, 0, 0])
    assert robot.driven == [FORWARD, STANDING, Velocity(0, 1)]
    await asyncio.sleep(0.01)
    assert one.latest("wheel")["holder"] == "other"


@hub_test
async def test_a_silent_page_stops_the_robot_once(robot: PaperRobot, hub: Hub) -> None:
    one = Browser(hub, "one")
    for _ in range(10):
        one.send("drive", FORWARD)
        await asyncio.sleep(0.8 * TIMEOUT)
    assert STANDING not in robot.driven
    await asyncio.sleep(5.0)
    assert robot.driven == [FORWARD] * 10 + [STANDING]


@pytest.mark.parametrize("leave", ["close", "remove"])
def test_a_page_that_goes_stops_the_robot_at_once_and_leaves_the_wheel(leave: str) -> None:
    async def main() -> None:
        robot = PaperRobot()
        hub = Hub(robot)
        one = Browser(hub, "one")
        one.send("drive", FORWARD)
        if leave == "close":
            hub.close_channel(one.page, one.outbox)
        else:
            hub.remove(one.page)
        assert robot.driven == [FORWARD, STANDING]
        assert hub.wheel.holder == ""

    run(main())


@hub_test
async def test_a_page_whose_network_freezes_loses_wheel_and_goal(
    robot: PaperRobot, hub: Hub
) -> None:
    one = Browser(hub, "one", acknowledges=False)
    goal = asyncio.ensure_future(hub.pursuit.do("one", "forever"))
    await asyncio.sleep(2.0)
    assert hub.wheel.holder == "one"
    one.send("ack", "text")
    await asyncio.sleep(2.3)
    assert not goal.done()
    await asyncio.sleep(0.7)
    assert hub.wheel.holder == ""
    assert goal.done()


@hub_test
async def test_a_page_in_the_background_is_heard(robot: PaperRobot, hub: Hub) -> None:
    """It answers what comes; its own timers are slowed down."""
    one = Browser(hub, "one")
    goal = asyncio.ensure_future(hub.pursuit.do("one", "forever"))
    await asyncio.sleep(60.0)
    assert one.latest("wheel")["holder"] == "you"
    goal.cancel()


@hub_test
async def test_what_an_older_channel_still_brings_counts_no_more(
    robot: PaperRobot, hub: Hub
) -> None:
    one = Browser(hub, "one")
    hub.open_channel(one.page)
    one.send("drive", FORWARD)
    assert robot.driven == []
    assert await one.outbox.next() is None


@hub_test
async def test_a_page_that_lost_its_channel_while_it_drove_drives_at_once_when_it_is_back(
    robot: PaperRobot, hub: Hub
) -> None:
    one = Browser(hub, "one")
    one.send("drive", FORWARD)
    hub.close_channel(one.page, one.outbox)
    one.channel = channel_of(hub, one.page, hub.open_channel(one.page))
    one.send("drive", FORWARD)
    assert robot.driven == [FORWARD, STANDING, FORWARD]


@hub_test
async def test_every_stop_is_a_request_of_its_own(robot: PaperRobot, hub: Hub) -> None:
    """One that hangs must not keep back the next one, nor be shared after a release."""
    robot.hangs = True
    stops = []
    for _ in range(100):
        stops.append(asyncio.ensure_future(hub.stop()))
        await asyncio.sleep(0.01)
    assert robot.called == [("emergency_stop", {})] * 100
    assert sum(stop.done() for stop in stops) == 80
    robot.hangs = False
    assert (await hub.stop()).success


@hub_test
async def test_a_page_stops_by_its_channel_and_is_told(robot: PaperRobot, hub: Hub) -> None:
    one = Browser(hub, "one")
    one.channel = channel_of(hub, one.page, one.outbox, read_only=True)
    one.send("stop", 7)
    await asyncio.sleep(0.1)
    assert robot.called == [("emergency_stop", {})]
    assert one.latest("stopped") == {"number": 7, "success": True, "message": "done"}


@hub_test
async def test_a_held_key_drives_no_more_after_a_stop_until_it_is_released(
    robot: PaperRobot, hub: Hub
) -> None:
    one, two = Browser(hub, "one"), Browser(hub, "two")
    two.send("show", ["status"])
    one.send("drive", FORWARD)
    two.send("stop", 1)
    await asyncio.sleep(0.1)
    assert robot.driven == [FORWARD, STANDING]
    one.send("drive", FORWARD)
    assert robot.driven == [FORWARD, STANDING]
    one.send("drive", STANDING)
    # Also where the key is pressed while the stop is latched, or the robot waits after it was
    # carried, and held when somebody releases it.
    for latched in (status(stopped=True), status(held=True)):
        robot.driven.clear()
        robot.news["status"] = latched
        await asyncio.sleep(0.2)
        one.send("drive", FORWARD)
        robot.news["status"] = status()
        await asyncio.sleep(0.2)
        one.send("drive", FORWARD)
        assert FORWARD not in robot.driven
        one.send("drive", STANDING)
        one.send("drive", FORWARD)
        assert robot.driven[-1] == FORWARD
        one.send("drive", STANDING)


@hub_test
async def test_who_was_refused_does_not_drive_off_when_the_driver_leaves(
    robot: PaperRobot, hub: Hub
) -> None:
    one, two = Browser(hub, "one"), Browser(hub, "two")
    one.send("drive", FORWARD)
    two.send("drive", [0, 1, 0, 0])
    one.send("wheel", "leave")
    two.send("drive", [0, 1, 0, 0])
    assert robot.driven == [FORWARD, STANDING]


@hub_test
async def test_the_wheel_is_free_when_what_it_was_for_has_ended(
    robot: PaperRobot, hub: Hub
) -> None:
    one = Browser(hub, "one")
    one.send("drive", FORWARD)
    one.send("drive", STANDING)
    await asyncio.sleep(4.0)
    one.send("move", {"head": 0.1})
    await asyncio.sleep(4.0)
    assert one.latest("wheel")["holder"] == "you"
    await asyncio.sleep(1.5)
    assert one.latest("wheel")["holder"] == ""
    goal = asyncio.ensure_future(hub.pursuit.do("one", "forever"))
    await asyncio.sleep(20.0)
    assert one.latest("wheel")["holder"] == "you"
    goal.cancel()
    hub.pursuit.cancel()
    await asyncio.sleep(0.1)
    assert one.latest("wheel")["holder"] == ""


@hub_test
async def test_a_page_at_rest_publishes_nothing(robot: PaperRobot, hub: Hub) -> None:
    Browser(hub, "one").send("drive", STANDING)
    assert robot.driven == []
    assert hub.wheel.holder == ""


@hub_test
async def test_a_slow_page_gets_the_newest_and_delays_nobody(robot: PaperRobot, hub: Hub) -> None:
    fast, slow = Browser(hub, "fast"), Browser(hub, "slow", acknowledges=False)
    for browser in (fast, slow):
        browser.send("show", ["camera", "battery"])
    for number in range(50):
        robot.news = {"camera": picture(f"{number}"), "battery": number}
        await asyncio.sleep(0.1)
    assert fast.pictures == [f"{number}".encode() for number in range(50)]
    assert slow.pictures == [b"0"]
    slow.send("ack", "camera")
    slow.send("ack", "text")
    robot.news = {"camera": picture("new"), "battery": 50}
    await asyncio.sleep(0.2)
    assert slow.pictures == [b"0", b"new"]
    assert slow.latest("battery") == 50
    assert len(slow.received) <= 4


@hub_test
async def test_a_page_that_asks_and_reads_no_answer_is_refused(robot: PaperRobot, hub: Hub) -> None:
    one = Browser(hub, "one", acknowledges=False)
    for number in range(200):
        one.send("ask", [number, "nothing", {}])
        await asyncio.sleep(0.01)
    with pytest.raises(BadMessage, match="answers are not read"):
        one.send("ask", [200, "nothing", {}])
    assert one.outbox.answers == 200


@hub_test
async def test_feeds_are_subscribed_only_while_shown(robot: PaperRobot, hub: Hub) -> None:
    one, two = Browser(hub, "one"), Browser(hub, "two")
    assert robot.started == []
    one.send("show", ["camera", "nonsense"])
    two.send("show", ["camera"])
    assert robot.started == ["camera"]
    one.send("show", [])
    assert robot.started == ["camera"]
    hub.close_channel(two.page, two.outbox)
    await asyncio.sleep(LINGER + 0.1)
    assert robot.started == []
    one.task.cancel()
    hub.close_channel(one.page, one.outbox)
    await asyncio.sleep(0.05)
    assert asyncio.all_tasks() == {asyncio.current_task(), two.task}


@hub_test
async def test_a_page_that_shows_and_hides_all_the_time_makes_no_subscriptions(
    robot: PaperRobot, hub: Hub
) -> None:
    one = Browser(hub, "one")
    for _ in range(1000):
        one.send("show", ["camera", "status"])
        one.send("show", [])
        await asyncio.sleep(0.01)
    assert robot.starts == 2
    await asyncio.sleep(LINGER + 0.1)
    assert robot.started == []


@hub_test
async def test_a_page_that_opens_later_gets_what_is_known(robot: PaperRobot, hub: Hub) -> None:
    one = Browser(hub, "one")
    one.send("show", ["battery"])
    robot.news["battery"] = {"voltage": 4.0}
    await asyncio.sleep(0.2)
    two = Browser(hub, "two")
    two.send("show", ["battery"])
    await asyncio.sleep(0.01)
    assert two.latest("battery") == {"voltage": 4.0}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"drive": [0]}{',
        '{"drive": 1}',
        '{"drive": [NaN, 0, 0, 0]}',
        '{"drive": ["fast", 0, 0, 0]}',
        '{"drive": [1, 2, 3, 4, 5]}',
        '{"move": {"arm": 1}}',
        '{"move": [1]}',
        '{"move": {"head": 1e999}}',
        '{"show": 5}',
        '{"stop": "now"}',
        '{"call": "power_off"}',
        "[" * 5000,
    ],
)
def test_what_makes_no_sense_is_refused(text: str) -> None:
    async def main() -> None:
        robot = PaperRobot()
        browser = Browser(Hub(robot), "one")
        with pytest.raises(BadMessage):
            browser.channel.on_message(text)
        assert robot.driven == robot.published == []

    run(main())


@hub_test
async def test_a_read_only_page_commands_nothing(robot: PaperRobot, hub: Hub) -> None:
    one = Browser(hub, "one")
    one.channel = channel_of(hub, one.page, one.outbox, read_only=True)
    one.send("drive", FORWARD)
    one.send("move", {"head": 0.1})
    one.send("wheel", "take")
    assert (robot.driven, robot.published, hub.wheel.holder) == ([], [], "")

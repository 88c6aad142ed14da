"""What all open pages show of one robot: each feed is read and serialised once for all of them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..robot import data_directory
from .checkup_run import CheckupRun
from .outbox import Outbox, encode_picture
from .pursuit import Pursuit
from .reports import Reports
from .robot_port import Answer, RobotPort
from .wheel import Wheel

_log = logging.getLogger(__name__)
_VALUES_PERIOD = 0.1
_PICTURES_PERIOD = 0.02
"""s between two looks for a new picture: what it adds to their age."""
WHEEL = "wheel"
"""Feed of the hub itself: who drives. Not by the pages' ids: who knows one could act as it."""
GOAL = "goal"
"""The same: the place that the robot drives to or looks at, None for none."""
CHECKUP = "checkup"
"""The same: how far the checkup is."""
_OWN = (GOAL, CHECKUP)
_STATUS = "status"
BEAT = "beat"
"""Sent all the time, so that a page notices a network that has frozen."""
_BEAT_PERIOD = 0.25
SILENCE = 2.5
"""s without a message, acknowledgements included, after which a page is lost: Wi-Fi that stalls for
2 s loses none."""
_MOST_STOPS = 20
LINGER = 5.0
"""s for which a feed that nobody shows stays subscribed: whoever goes to and fro makes no work."""


@dataclass(eq=False, slots=True)
class Page:
    """One open page, known by an id that it has chosen at random."""

    id: str
    name: str
    """For people: where it is opened."""
    outbox: Outbox | None = None
    """While its channel is open."""
    shown: frozenset[str] = frozenset()
    """Feeds that its elements in the browser show."""
    heard_at: float = 0.0
    """When its channel brought something, s of the loop's clock."""


class Running:
    """One goal at a time; a newer one ends it, and so does ``cancel``."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Answer] | None = None

    async def run(self, goal: Coroutine[Any, Any, Answer]) -> Answer:
        self.cancel()
        task = self._task = asyncio.ensure_future(goal)
        await asyncio.wait([task])
        return Answer(True, "") if task.cancelled() else task.result()

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


class Hub:
    """Feeds of one robot and the pages that show them; subscribed only while some page does."""

    def __init__(self, robot: RobotPort, reports: Reports | None = None) -> None:
        """``reports``: where those of checkups go, by default with the user's data."""
        self.robot = robot
        self.wheel = Wheel(robot, self._publish_wheel)
        self.pages: dict[str, Page] = {}
        self.sound = Running()
        """One for all pages: whoever hears it can stop it, also after the page that began it."""

        self._last: dict[str, Any] = {}
        self._texts: dict[str, str] = {}
        self._started: frozenset[str] = frozenset()
        self._leaving: dict[str, asyncio.TimerHandle] = {}
        self._tasks: dict[float, asyncio.Task[None]] = {}
        self._stops: dict[asyncio.Task[Answer], None] = {}
        self.pursuit = Pursuit(robot, self.wheel, partial(self._publish, GOAL))
        reports = reports or Reports(data_directory() / "checkups")
        self.checkup = CheckupRun(robot, reports, partial(self._publish, CHECKUP))
        self._publish(GOAL, None)
        self._publish(CHECKUP, self.checkup.shown)

    # -- pages

    def add(self, page: Page) -> None:
        self.pages[page.id] = page

    def remove(self, page: Page) -> None:
        """Forget a page: the robot stops if it drove."""
        self.wheel.forget(page.id)
        self.pages.pop(page.id, None)
        self._update_feeds()

    def open_channel(self, page: Page) -> Outbox:
        """Make what a page is sent; what an older channel of it still brings counts no more."""
        if page.outbox is not None:
            page.outbox.close()
        page.outbox = outbox = Outbox()
        page.shown = frozenset()
        page.heard_at = asyncio.get_running_loop().time()
        # A page halts what it holds where it is not connected, and cannot tell.
        self.wheel.let_go(page.id)
        self._update_feeds()
        self.checkup.come(page.id)
        for feed in _OWN:
            outbox.put_text(feed, self._texts[feed])
        outbox.put_text(WHEEL, self._wheel_text(page))
        return outbox

    def close_channel(self, page: Page, outbox: Outbox) -> None:
        """The page is gone, or comes again with another channel."""
        if page.outbox is outbox:
            page.outbox, page.shown = None, frozenset()
            self.wheel.leave(page.id)
            self.checkup.leave(page.id)
            self._update_feeds()

    async def stop(self) -> Answer:
        """Stop the robot; the answer says whether it, too, has confirmed that."""
        self.wheel.halt()
        self.pursuit.cancel()
        while len(self._stops) >= _MOST_STOPS:
            oldest = next(iter(self._stops))
            del self._stops[oldest]
            oldest.cancel()
        task = asyncio.ensure_future(self.robot.call("emergency_stop"))
        self._stops[task] = None
        task.add_done_callback(lambda ended: self._stops.pop(ended, None))
        if (answer := await self.checkup.stop()) is not None:
            return answer
        await asyncio.wait([task])  # it goes on without whoever asked for it
        return Answer(False, "newer ones took its place") if task.cancelled() else task.result()

    def show(self, page: Page, feeds: Iterable[str]) -> None:
        """Send a page these feeds from now on; unknown ones are ignored."""
        known = self.robot.feeds | self.robot.pictures
        before, page.shown = page.shown, known.intersection(feeds)
        self._update_feeds()
        if page.outbox is None:
            return
        for feed in before - page.shown:
            page.outbox.forget(feed)
        for feed in page.shown - before:
            if feed in self._texts:
                page.outbox.put_text(feed, self._texts[feed])

    def latest(self, feed: str) -> Any:
        """Return the newest value of a feed that some page shows, None before the first."""
        return self._last.get(feed)

    # -- feeds

    def _update_feeds(self) -> None:
        pages = self.pages.values()
        wanted = frozenset().union(*(page.shown for page in pages))
        loop = asyncio.get_running_loop()
        for feed in self._leaving.keys() & wanted:
            self._leaving.pop(feed).cancel()
        for feed in self._started - wanted - self._leaving.keys():
            self._leaving[feed] = loop.call_later(LINGER, self._leave, feed)
        for feed in wanted - self._started:
            self.robot.start(feed)
        self._started |= wanted
        self._poll()

    def _leave(self, feed: str) -> None:
        del self._leaving[feed]
        self._started -= {feed}
        self.robot.stop(feed)
        self._last.pop(feed, None)
        self._texts.pop(feed, None)
        if feed == _STATUS:
            self.wheel.set_latched(False)
        self._poll()

    def _poll(self) -> None:
        pages = self.pages.values()
        self._run(bool(self._started & self.robot.feeds), _VALUES_PERIOD, self._poll_values)
        is_picture = bool(self._started & self.robot.pictures)
        self._run(is_picture, _PICTURES_PERIOD, self._poll_pictures)
        self._run(any(page.outbox for page in pages), _BEAT_PERIOD, self._beat)

    def _run(self, is_wanted: bool, period: float, poll: Callable[[], None]) -> None:
        task = self._tasks.get(period)
        if is_wanted and task is None:
            self._tasks[period] = asyncio.ensure_future(_repeat(period, poll))
        elif not is_wanted and task is not None:
            self._tasks.pop(period).cancel()

    def _beat(self) -> None:
        now = asyncio.get_running_loop().time()
        for page in self.pages.values():
            if page.outbox is not None:
                page.outbox.put_text(BEAT, "0")
                if now - page.heard_at > SILENCE:
                    self.wheel.leave(page.id)
                    self.checkup.leave(page.id)
                else:
                    self.checkup.come(page.id)

    def _poll_values(self) -> None:
        for feed in self._started & self.robot.feeds:
            value = self.robot.poll(feed)
            if value is not None:
                self._publish(feed, value)

    def _poll_pictures(self) -> None:
        for feed in self._started & self.robot.pictures:
            ready = [
                page.outbox
                for page in self.pages.values()
                if page.outbox is not None and feed in page.shown and page.outbox.is_ready(feed)
            ]
            # Where no page can be sent one, the middleware keeps the newest.
            picture = self.robot.poll(feed) if ready else None
            if picture is not None:
                message = encode_picture(feed, picture)
                for outbox in ready:
                    outbox.put_picture(feed, message)

    def _publish_wheel(self) -> None:
        for page in self.pages.values():
            if page.outbox is not None:
                page.outbox.put_text(WHEEL, self._wheel_text(page))

    def _wheel_text(self, page: Page) -> str:
        holder = self.pages.get(self.wheel.holder)
        whose = "" if holder is None else "you" if holder is page else "other"
        return json.dumps({"holder": whose, "name": holder.name if holder else ""})

    def _publish(self, feed: str, value: Any) -> None:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
        if self._texts.get(feed) == text:
            return
        self._last[feed], self._texts[feed] = value, text
        if feed == _STATUS:
            self.wheel.set_latched(value["is_stopped"] or value["is_held"])
        for page in tuple(self.pages.values()):
            if page.outbox is not None and (feed in page.shown or feed in _OWN):
                page.outbox.put_text(feed, text)


async def _repeat(period: float, poll: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        try:
            poll()
        except Exception:
            _log.exception("feeds cannot be read")
        due = max(due + period, loop.time())
        await asyncio.sleep(due - loop.time())

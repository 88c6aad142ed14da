"""The page in a real Chromium, with a driver and an emulated robot behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ..nodes.graph import TIMEOUT, wait_until
from .conftest import Served

MS = 1000 * TIMEOUT


@pytest.fixture
def page(served: Served, browser: Any) -> Iterator[Any]:
    """Return an open page; nothing may be fetched from elsewhere, nor any script fail."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
    page = open_page(context, served)
    yield page
    context.close()
    assert page.complaints == []


def open_page(context: Any, served: Served) -> Any:
    page = context.new_page()
    page.complaints = []
    page.set_default_timeout(MS)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: is_own(request.url, served) or complain(page, request.url))
    page.goto(served.url)
    page.get_by_text("connected", exact=True).wait_for()
    page.locator(".cz-age:not(:empty)").wait_for()
    return page


def complain(page: Any, what: str) -> None:
    page.complaints.append(what)


def is_own(url: str, served: Served) -> bool:
    return url.startswith((served.url, "about:", "data:", "blob:"))


def wheels(served: Served) -> tuple[float, float]:
    """Speeds of the emulated robot's treads, mm/s."""
    state = served.emulator.state()
    return state.left_speed, state.right_speed


def wait_for_standstill(served: Served) -> None:
    wait_until(lambda: wheels(served) == (0.0, 0.0), "the robot does not stand")


def wait_for_driving(served: Served) -> None:
    wait_until(lambda: min(wheels(served)) > 20.0, "the robot does not drive")


def test_a_held_key_drives_and_a_released_one_stops(page: Any, served: Served) -> None:
    page.keyboard.down("w")
    wait_for_driving(served)
    page.get_by_text("You drive").wait_for()
    page.keyboard.up("w")
    wait_for_standstill(served)


def test_stop_is_latched_and_released(page: Any, served: Served) -> None:
    page.keyboard.down("w")
    wait_for_driving(served)
    page.get_by_role("button", name="Stop", exact=True).click()
    wait_for_standstill(served)
    page.get_by_text("Emergency stop.").wait_for()
    page.keyboard.up("w")
    page.keyboard.down("w")
    page.get_by_role("button", name="Release").click()
    page.get_by_text("Emergency stop.").wait_for(state="hidden")
    page.keyboard.up("w")


def test_a_page_that_is_lost_stops_the_robot(page: Any, served: Served) -> None:
    page.keyboard.down("w")
    wait_for_driving(served)
    page.goto("about:blank")
    wait_for_standstill(served)

"""The page in a browser, and what the robot behind it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ..nodes.graph import TIMEOUT, wait_until
from .conftest import Served

MS = 1000 * TIMEOUT
SOME_FRAMES = """async () => {
    for (let i = 0; i < 30; i += 1) await new Promise(requestAnimationFrame);
}"""
"""Waits in a page until everything that was sent must have had its effect."""


def page_fixture(
    width: int = 1280, height: int = 800, tab: str = "", shows: str = "body"
) -> Callable[..., Any]:
    """Make the fixture ``page``: nothing may be fetched from elsewhere, nor any script fail.

    It waits for what a selector ``shows`` in the tab.
    """

    @pytest.fixture
    def page(served: Served, context: Any) -> Iterator[Any]:
        page = open_page(context, served, width, height)
        if tab:
            page.get_by_role("tab", name=tab).click()
        page.locator(shows).wait_for()
        yield page
        assert page.complaints == []

    return page


def open_page(context: Any, served: Served, width: int = 1280, height: int = 800) -> Any:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": height})
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


def serious_findings(page: Any, **options: Any) -> list[tuple[str, str]]:
    """Return the rules of accessibility that are broken, and where."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options["resultTypes"] = ["violations"]
    found = axe.run(page, options=options).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    return [(one["id"], node["html"]) for one in serious for node in one["nodes"]]

"""``python -m docs.render_cockpit [URL [NAME ...]]``: pictures of a cockpit that runs.

Of one of ``make run WORLD=room BEHAVIOR=1``; NAME: ``cockpit_see`` ..., by default all.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parent / "images"
_QUALITY = 82
_TIMEOUT_MS, _SETTLE_MS = 90_000, 6000
_HEAD = "6"
"""deg"""


def _look_up(page: Page) -> None:
    page.get_by_label("Head", exact=True).fill(_HEAD)
    page.evaluate("document.activeElement.blur()")


def _drive_about(page: Page) -> None:
    """Leave a trail, with a goal ahead."""
    page.get_by_text("By numbers").click()
    for ahead, left in ((30, 10), (20, -20), (40, 0)):
        page.get_by_label("Centimetres ahead").fill(str(ahead))
        page.get_by_label("Centimetres left").fill(str(left))
        page.get_by_role("button", name="Go", exact=True).click()
        page.wait_for_timeout(_SETTLE_MS)
    page.get_by_text("By numbers").click()


def _open_world(page: Page) -> None:
    page.get_by_role("button", name="Emulator's world").click()


def _unfold(page: Page) -> None:
    page.locator("summary", has_text="cozmo_face").click()


def _come_alive(page: Page) -> None:
    for name in ("It may drive", "Alive"):
        switch = page.get_by_role("switch", name=name)
        if switch.get_attribute("aria-checked") != "true":
            switch.click()
    page.wait_for_timeout(5 * _SETTLE_MS)


def _check_up(page: Page) -> None:
    """Go through some steps, the lights of which nobody sees."""
    page.get_by_role("button", name="Choose none").click()
    for title in ("Identity and firmware", "Battery", "Display", "Lights on the back", "Head"):
        page.get_by_role("checkbox", name=title, exact=True).check()
    page.get_by_role("button", name="Start", exact=True).click()
    for answer in ("Begin", "Begin", "Begin", "Yes", "Begin", "No", "Begin"):
        page.get_by_role("button", name=answer, exact=True).click()
    page.get_by_role("button", name="Start", exact=True).wait_for()


_IS_WELL = """() => {
    const age = document.querySelector(".cz-age");
    const isNew = !age || /^\\d\\d ms$/.test(age.textContent);
    return isNew && document.querySelector("cozmo-strip").textContent.includes("connected");
}"""
VIEWS: tuple[tuple[str, str, tuple[int, int], str, Callable[[Page], None]], ...] = (
    ("cockpit_drive", "drive", (1280, 800), "dark", _look_up),
    ("cockpit_drive_phone", "drive", (360, 740), "light", _look_up),
    ("cockpit_world", "see", (1280, 800), "light", _open_world),
    ("cockpit_see", "see", (1280, 800), "light", _drive_about),
    ("cockpit_express", "express", (1280, 860), "light", lambda page: None),
    ("cockpit_manage", "manage", (1280, 800), "light", _unfold),
    ("cockpit_checkup", "checkup", (1280, 800), "light", _check_up),
    ("cockpit_live", "live", (1280, 800), "light", _come_alive),
)
"""File, tab, size, colours, and what is done before the picture is taken."""


def render(
    browser: Browser,
    url: str,
    name: str,
    tab: str,
    size: tuple[int, int],
    scheme: str,
    prepare: Callable[[Page], None],
) -> None:
    """Open a tab, wait for what it shows, write its picture."""
    viewport = {"width": size[0], "height": size[1]}
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(_TIMEOUT_MS)
    page.goto(f"{url}?tab={tab}")
    page.get_by_text("connected", exact=True).first.wait_for()
    page.wait_for_timeout(_SETTLE_MS)
    prepare(page)
    page.wait_for_timeout(_SETTLE_MS)
    page.mouse.move(0, 0)
    while not page.evaluate(_IS_WELL):
        page.wait_for_timeout(100)
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("RGB").save(FOLDER / f"{name}.webp", quality=_QUALITY, method=6)
    context.close()


def main() -> int:
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for view in VIEWS:
            if view[0] in (sys.argv[2:] or [view[0]]):
                render(browser, url, *view)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

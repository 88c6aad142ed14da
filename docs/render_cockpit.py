"""``python -m docs.render_cockpit [URL]``: pictures of a cockpit that runs (WORLD=room)."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).parent / "images"
VIEWS = (
    ("cockpit_drive", "drive", (1280, 800), "dark"),
    ("cockpit_drive_phone", "drive", (360, 740), "light"),
)
"""File, tab, size, colours."""
_QUALITY = 82
_TIMEOUT_MS, _SETTLE_MS = 90_000, 6000
_HEAD = "6"
"""deg"""


def render(
    browser: Browser, url: str, name: str, tab: str, size: tuple[int, int], scheme: str
) -> None:
    """Open a tab, wait for what it shows, write its picture."""
    viewport = {"width": size[0], "height": size[1]}
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(_TIMEOUT_MS)
    page.goto(f"{url}?tab={tab}")
    page.locator("cozmo-camera .cz-age:not(:empty)").first.wait_for()
    page.wait_for_timeout(_SETTLE_MS)
    if tab == "drive":
        page.get_by_label("Head", exact=True).fill(_HEAD)
        page.evaluate("document.activeElement.blur()")
        page.wait_for_timeout(_SETTLE_MS)
        page.locator(".cz-age:not([data-state=bad])").wait_for()
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
            render(browser, url, *view)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m benchmarks.stop [--tries N] [--seed N]``: the page's STOP in Chromium.

Beside an open menu and another page that drives the robot comes to rest within 300 ms; where the
network has frozen or the robot has vanished the page says so in red within 2 s. The cases, how STOP
is pressed and when are drawn by the seed.
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random

from playwright.sync_api import BrowserContext, Page, sync_playwright

from cozmo_driver.emulator.firmware import EmulatorState
from cozmo_driver.emulator.running import RunningEmulator
from test.cockpit.network import Network, running_network

from .cockpit import PORT, served
from .machine import Others
from .rows import Row, limit_row

REST, RED = 300, 2000
"""ms from the press until the robot is at rest, or the page says in red that it may not be."""
LIMITS = {"frozen network": RED, "open menu": REST, "another page": REST, "robot vanished": RED}
WAYS = ("click", "Escape", "Space")
_GIVEN_UP = 10.0
_LONGEST_PAUSE = 0.5
_TIMEOUT_MS = 60_000
_WATCH = """() => {
    const alert = document.querySelector(".cz-stop-error");
    window.pressed = window.red = 0;
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, (event) => {
        pressed = performance.timeOrigin + event.timeStamp;
    }, true);
    new MutationObserver(() => {
        red = alert.textContent ? red || performance.timeOrigin + performance.now() : 0;
    }).observe(alert, { childList: true, characterData: true, subtree: true });
}"""
_MENU = """async () => {
    const { choice } = await import("/cockpit/choice.js");
    window.menu = choice("Anything");
    document.querySelector(".cz-header").append(menu);
    menu.options = ["one", "two", "three", "four", "five"].map((name) => [name, name]);
    menu.input.click();
}"""


@dataclass(frozen=True, slots=True)
class Try:
    """One press: how, and after how many ms what is asked of its case was so; inf for never."""

    case: str
    way: str
    took: float


class Desk:
    """The page on which STOP is pressed, behind a network; another page that may drive; a robot."""

    def __init__(
        self, context: BrowserContext, emulator: RunningEmulator, network: Network, port: int = PORT
    ) -> None:
        """``port``: the cockpit's own."""
        self._emulator, self._network = emulator, network
        self._page = _open(context, network.port)
        self._page.evaluate(_WATCH)
        self._other = _open(context, port)
        self._watcher = ThreadPoolExecutor(1)

    def press(self, case: str, way: str, pause: float) -> Try:
        """Let the robot drive, bring the case about, press STOP; put everything right again."""
        if case == "open menu":
            self._page.evaluate(_MENU)
            self._page.get_by_role("option", name="five").wait_for()
        driver = self._other if case == "another page" else self._page
        driver.locator("cozmo-wheel:not([data-state=other])").wait_for()
        driver.keyboard.down("w")
        self._emulator.wait_for(_drives)
        if case == "frozen network":
            self._network.freeze()
        elif case == "robot vanished":
            self._emulator.kill()
        time.sleep(pause)
        took = self._red(way) if LIMITS[case] == RED else self._rest(way)
        driver.keyboard.up("w")
        if case == "open menu":
            self._page.evaluate("menu.remove()")
        elif case == "frozen network":
            self._network.thaw()
        elif case == "robot vanished":
            self._emulator.restart()
        self._release()
        return Try(case, way, took)

    def close(self) -> None:
        self._watcher.shutdown()
        for page in (self._page, self._other):
            page.close()

    def _rest(self, way: str) -> float:
        rest = self._watcher.submit(_at_rest, self._emulator)
        self._press(way)
        return rest.result() - float(self._page.evaluate("pressed"))

    def _red(self, way: str) -> float:
        self._press(way)
        end = time.monotonic() + _GIVEN_UP
        while not self._page.evaluate("red > 0"):
            if time.monotonic() > end:
                return math.inf
            time.sleep(0.02)
        return max(0.0, float(self._page.evaluate("red - pressed")))

    def _press(self, way: str) -> None:
        if way == "click":
            box = self._page.locator(".cz-stop").bounding_box()
            assert box
            self._page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        else:
            self._page.keyboard.press(way)

    def _release(self) -> None:
        self._page.get_by_text("connected", exact=True).wait_for()
        self._page.get_by_text("Emergency stop.").wait_for()
        self._page.locator(".cz-stop-error:empty").wait_for(state="attached")
        self._page.get_by_role("button", name="Release").click()
        for page in (self._page, self._other):
            page.get_by_text("Emergency stop.").wait_for(state="hidden")


def _open(context: BrowserContext, port: int) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.set_default_timeout(_TIMEOUT_MS)
    page.goto(f"http://127.0.0.1:{port}/")
    page.get_by_text("connected", exact=True).wait_for()
    page.locator(".cz-age:not(:empty)").wait_for()
    return page


def _drives(state: EmulatorState) -> bool:
    return min(state.left_speed, state.right_speed) > 20.0


def _stands(state: EmulatorState) -> bool:
    return state.left_speed == state.right_speed == 0.0


def _at_rest(emulator: RunningEmulator) -> float:
    """Return when the robot is at rest, ms, as a page tells times; inf for not soon."""
    try:
        emulator.wait_for(_stands, _GIVEN_UP)
    except TimeoutError:
        return math.inf
    return 1000 * time.time()


def tries(number: int, seed: int) -> Iterator[Try]:
    """Press STOP that often, each case equally often but for one."""
    random = Random(seed)
    cases = [list(LIMITS)[index % len(LIMITS)] for index in range(number)]
    random.shuffle(cases)
    with served() as (emulator, _), running_network(PORT) as network, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        desk = Desk(browser.new_context(), emulator, network)
        for case in cases:
            yield desk.press(case, random.choice(WAYS), random.uniform(0.0, _LONGEST_PAUSE))
        desk.close()
        browser.close()


def rows(number: int = 50, seed: int = 1) -> list[Row]:
    """Measure and return the rows of this section."""
    times: dict[str, list[float]] = {case: [] for case in LIMITS}
    for one in tries(number, seed):
        print(f"{one.case}, {one.way}: {one.took:.0f} ms", file=sys.stderr)
        times[one.case].append(one.took)
    return [
        limit_row(
            f"STOP, {case}: to {'red words' if LIMITS[case] == RED else 'rest'}, "
            f"worst of {len(took)}, median {statistics.median(took):.0f} ms",
            None,
            max(took),
            LIMITS[case],
            "ms",
        )
        for case, took in times.items()
        if took
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stop", description=__doc__)
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    others = Others()
    found = rows(given.tries, given.seed)
    for row in found:
        print(f"{row.work}: {row.ours}, {row.target}, {'yes' if row.met else 'NO'}")
    print(f"{others}.")
    return int(not all(row.met for row in found))


if __name__ == "__main__":
    sys.exit(main())

"""The cockpit: first view, CPU, age of pictures in open pages, a key's way to the robot, memory."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import shutil
import statistics
import sys
import time
from collections.abc import Iterator

import httpx
import psutil
import websockets
from playwright.sync_api import Browser, Page, sync_playwright

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.protocol.messages import DriveWheels

from .node_cpu import cpu_share, ros_program, wait_for_client
from .rows import Row, limit_row

PORT = 8199
_URL = f"http://127.0.0.1:{PORT}/"
_PAGES = 5
_KEYS = 40
_VIEWS = 7
_SLOWNESS = 20
_PICTURES = 150
_ROUNDS, _AT_ONCE = 100, 20
_ROUND = 2.0
"""s, so that always as many closed pages are still remembered."""
_FORGOTTEN = 40.0
"""s after which closed pages are forgotten."""
_TIMEOUT = 60.0


@contextlib.contextmanager
def served() -> Iterator[tuple[RunningEmulator, int]]:
    """Yield an emulated robot with a driver, and the process of its cockpit."""
    with (
        running_emulator(calibration_time=0.0) as emulator,
        ros_program("driver_node", robot_address="127.0.0.1", robot_port=emulator.port),
        ros_program("cockpit_node", cockpit_port=PORT) as pid,
    ):
        wait_for_client(emulator)
        end = time.monotonic() + _TIMEOUT
        while time.monotonic() < end:
            with contextlib.suppress(httpx.HTTPError):
                httpx.get(f"{_URL}cockpit/icon.svg")  # opens no page
                break
            time.sleep(0.2)
        yield emulator, pid


def _open(browser: Browser, tab: str = "drive") -> Page:
    page = browser.new_context().new_page()
    page.set_default_timeout(1000 * _TIMEOUT)
    page.goto(f"{_URL}?tab={tab}")
    page.locator(".cz-age:not(:empty)").wait_for()
    page.evaluate(
        "window.ages = [];"
        "document.querySelector('cozmo-camera')"
        ".addEventListener('picture', (event) => ages.push(event.detail))"
    )
    return page


def _first_view(browser: Browser) -> float:
    """Return the time from the address to a picture of the robot, with nothing in the cache, ms."""
    start = time.monotonic()
    page = _open(browser)
    took = 1000 * (time.monotonic() - start)
    page.context.close()
    return took


def _cpu_of(browser: Browser, tab: str, pid: int) -> float:
    page = _open(browser, tab)
    share = cpu_share(pid)
    page.context.close()
    return share


def _ages(pages: list[Page]) -> list[float]:
    """Return how old pictures are when they are drawn, ms."""
    for page in pages:
        page.evaluate("ages.length = 0")
    time.sleep(_PICTURES / 15)
    return [1000 * age for page in pages for age in page.evaluate("ages")]


def _key_times(page: Page, emulator: RunningEmulator) -> list[float]:
    """Return the times from a key's event in the page to the command at the robot, ms."""
    page.evaluate(
        "addEventListener('keydown', (event) => {"
        " window.pressed = performance.timeOrigin + event.timeStamp }, true)"
    )
    arrived: list[float] = []

    def on_drive(_: object) -> None:
        arrived.append(1000 * time.time())

    emulator.call(lambda firmware: firmware.core.handle(DriveWheels, on_drive))
    times = []
    for _ in range(_KEYS):
        arrived.clear()
        page.keyboard.down("w")
        end = time.monotonic() + 1.0
        while not arrived and time.monotonic() < end:
            time.sleep(0.001)
        if arrived:
            times.append(arrived[0] - page.evaluate("pressed"))
        page.keyboard.up("w")
        time.sleep(0.3)
    return times


async def _visit() -> None:
    """Open the page as a browser does, without drawing it, and close it."""
    headers = {"Origin": _URL.rstrip("/")}
    async with httpx.AsyncClient(timeout=_TIMEOUT) as client:
        text = (await client.get(_URL)).text
    robot = re.findall(r'name="cozmo-robot" content="([^"]*)"', text)[0]
    address = f"ws://127.0.0.1:{PORT}/channel?robot={robot}&page={secrets.token_hex(16)}"
    async with websockets.connect(address, additional_headers=headers) as channel:
        await channel.send('{"show":["camera","status","joints","battery","connection"]}')
        while isinstance(message := await channel.recv(), str):
            if "hello" not in message:
                await channel.send('{"ack":"text"}')


async def _visits(rounds: int) -> None:
    for _ in range(rounds):
        await asyncio.gather(asyncio.sleep(_ROUND), *(_visit() for _ in range(_AT_ONCE)))


def _growth(pid: int) -> float:
    """Return by how much the node grows in the second half of the visits, MB.

    The first half fills what the allocator keeps for pages that are open at the same time.
    """
    process = psutil.Process(pid)
    sizes = []
    for rounds in (_ROUNDS // 2, _ROUNDS // 2):
        asyncio.run(_visits(rounds))
        time.sleep(_FORGOTTEN)
        sizes.append(process.memory_info().rss / 1e6)
        print(f"after {rounds} rounds of {_AT_ONCE} pages: {sizes[-1]:.1f} MB", file=sys.stderr)
    return sizes[1] - sizes[0]


def _slow_down(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWNESS})


def _with_browser(emulator: RunningEmulator, pid: int) -> list[Row]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        first = statistics.median(_first_view(browser) for _ in range(_VIEWS))
        see = _cpu_of(browser, "see", pid)
        pages = [_open(browser)]
        one = cpu_share(pid)
        keys = statistics.median(_key_times(pages[0], emulator))
        pages += [_open(browser) for _ in range(_PAGES - 1)]
        five = cpu_share(pid)
        age = statistics.median(_ages(pages))
        _slow_down(pages[0])
        beside = statistics.median(_ages(pages[1:]))
        browser.close()
    return [
        limit_row("first view of the cockpit, to a picture, median", None, first, 2000, "ms"),
        limit_row("CPU of the cockpit, one page with camera", None, one, 5, "%"),
        limit_row("CPU of the cockpit, one page with scene and curves", None, see, 5, "%"),
        limit_row("CPU of the cockpit, five pages", None, five, 15, "%"),
        limit_row("age of pictures in five pages, median", None, age, 80, "ms"),
        limit_row("the same, beside a page that is 20 times slower", None, beside, 80, "ms"),
        limit_row("from a key in the page to the robot, median", None, keys, 15, "ms"),
    ]


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    with served() as (emulator, pid):
        idle = cpu_share(pid)
        return [
            limit_row("CPU of the cockpit, no page open", None, idle, 0.5, "%"),
            *_with_browser(emulator, pid),
            limit_row("cockpit, 20 pages opened and closed 100 times", None, _growth(pid), 5, "MB"),
        ]

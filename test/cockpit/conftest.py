"""A cockpit with a driver and a robot, and a browser: one of each for a file."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True)
class Served:
    """A page and what is behind it."""

    url: str
    emulator: Any
    graph: Any
    node: Any


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    pytest.importorskip("rclpy", reason="no ROS 2 here")
    pytest.importorskip("starlette", reason="the cockpit's web library is not installed")
    from cozmo_driver.emulator import running_emulator
    from cozmo_interfaces.msg import ConnectionState

    from ..nodes.graph import (
        LATCHED,
        TIMEOUT,
        running_driver,
        running_graph,
        running_node,
        wait_until,
    )

    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace),
        running_node("cockpit_node", graph.namespace, cockpit_port=0) as node,
    ):
        states = graph.listen(ConnectionState, "connection_state", LATCHED)
        states.wait_for(lambda message: message.state == ConnectionState.CONNECTED)
        wait_until(lambda: "cockpit: http" in node.log, "it does not listen", 4 * TIMEOUT)
        found = re.search(r"cockpit: (http://\S+)", node.log)
        assert found
        yield Served(found[1], emulator, graph, node)
        assert "Traceback" not in node.log


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=list(_ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def _context(browser: Any) -> Iterator[Any]:
    context = browser.new_context(has_touch=True)
    context.new_page()  # without any its window is closed, and opened anew for each test
    yield context
    context.close()


@pytest.fixture
def context(_context: Any) -> Iterator[Any]:
    """Where a test opens its pages; it keeps nothing of them for the next test."""
    yield _context
    _context.set_offline(False)
    blank, *pages = _context.pages
    for page in pages:
        page.close()
    kept = {"origin": "*", "storageTypes": "all"}
    _context.new_cdp_session(blank).send("Storage.clearDataForOrigin", kept)

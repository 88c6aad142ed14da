"""STOP in a real Chromium: beside a frozen network, a menu, another page; without a robot."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from cozmo_driver.emulator.body import Pose2D

from ..waiting import wait_until
from .browser import SOME_FRAMES, open_page, wait_for_driving, wait_for_standstill
from .conftest import Served
from .network import Network, running_network


@pytest.fixture(scope="module")
def network(served: Served) -> Iterator[Network]:
    with running_network(urlsplit(served.url).port or 0) as running:
        yield running


@pytest.fixture
def page(served: Served, context: Any, network: Network) -> Iterator[Any]:
    page = open_page(context, replace(served, url=f"http://127.0.0.1:{network.port}/"))
    yield page
    network.thaw()
    release(page)
    assert page.complaints == []


def release(page: Any) -> None:
    """Release the robot; a STOP that a frozen network held back stops it once more."""
    page.get_by_text("connected", exact=True).first.wait_for()
    late = pytest.importorskip("playwright.sync_api").TimeoutError
    stopped = page.get_by_text("Emergency stop.")
    button = page.get_by_role("button", name="Release")

    def is_released() -> bool:
        if stopped.is_visible():
            with suppress(late):
                button.click(timeout=2000)
                stopped.wait_for(state="hidden", timeout=2000)
        return not stopped.is_visible()

    wait_until(is_released, "the robot is stopped again and again")


def test_its_service_is_looked_for_before_it_is_pressed(page: Any, served: Served) -> None:
    """The first of the tests that share a cockpit: none has pressed it."""
    graph = served.graph.node
    wait_until(lambda: graph.count_clients("emergency_stop"), "nobody looks for it")


def test_a_network_that_freezes_is_shown_and_thaws(page: Any, network: Network) -> None:
    network.freeze()
    page.get_by_text("not connected", exact=True).wait_for()
    page.get_by_text("Not connected: STOP may not arrive.", exact=True).wait_for()
    network.thaw()
    page.get_by_text("connected", exact=True).wait_for()
    page.get_by_text("STOP may not arrive").wait_for(state="hidden")


_COUNT_SOCKETS = """() => {
    window.sockets = 0;
    window.WebSocket = class extends WebSocket {
        constructor(...values) {
            super(...values);
            sockets += 1;
        }
    };
}"""


def test_a_frozen_network_of_many_seconds_is_overcome(page: Any, network: Network) -> None:
    page.evaluate(_COUNT_SOCKETS)
    network.freeze()
    wait_until(lambda: page.evaluate("sockets > 1"), "it does not connect anew")
    network.thaw()
    page.get_by_text("connected", exact=True).wait_for()


def test_a_stop_that_does_not_arrive_is_said_and_arrives_later(
    page: Any, network: Network, served: Served
) -> None:
    page.keyboard.down("w")
    wait_for_driving(served)
    network.freeze()
    page.keyboard.press("Escape")
    page.get_by_text("STOP is not confirmed. Stop the robot by hand.", exact=True).wait_for()
    page.get_by_text("STOP may not arrive").wait_for(state="detached")
    wait_for_standstill(served)
    page.keyboard.up("w")
    network.thaw()
    page.get_by_text("Emergency stop.").wait_for()
    page.get_by_text("STOP is not confirmed").wait_for(state="hidden")


def test_the_benchmark_times_a_press_of_each_case(
    served: Served, context: Any, network: Network
) -> None:
    from benchmarks.stop import LIMITS, Desk

    desk = Desk(context, served.emulator, network, urlsplit(served.url).port or 0)
    assert all(math.isfinite(desk.press(case, "Escape", 0.1).took) for case in LIMITS)
    desk.close()


@pytest.mark.parametrize("hangs", ["**/stop?*", "channel"])
def test_one_of_two_ways_is_enough(page: Any, served: Served, hangs: str) -> None:
    if hangs == "channel":
        page.evaluate(_NO_STOP)
    else:
        page.route(hangs, lambda route: None)
    page.keyboard.press("Escape")
    page.get_by_text("Emergency stop.").wait_for()
    error = page.locator(".cz-stop-error")
    wait_until(lambda: error.inner_text() == "", "an error stays")
    page.unroute_all(behavior="ignoreErrors")


def test_a_stop_that_fails_is_asked_for_again(page: Any) -> None:
    page.evaluate(_NO_STOP)
    failure = {"success": False, "message": "the driver does not answer"}
    page.route("**/stop?*", lambda route: route.fulfill(json=failure), times=2)
    page.keyboard.press("Escape")
    page.get_by_text("STOP is not confirmed").wait_for()
    page.get_by_text("Emergency stop.").wait_for()
    page.get_by_text("STOP is not confirmed").wait_for(state="hidden")


def test_a_latch_of_before_the_press_confirms_no_stop(page: Any) -> None:
    """As of a driver that is started again while STOP is pressed: it is not stopped."""
    page.add_init_script(_KEEP_SOCKET)
    page.reload()
    page.get_by_text("connected", exact=True).first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("Emergency stop.").wait_for()
    page.evaluate(_NO_STOP)
    page.evaluate(_LEAVE_OUT_STATUS)
    failure = {"success": False, "message": "the driver does not answer"}
    page.route("**/stop?*", lambda route: route.fulfill(json=failure))
    page.keyboard.press("Escape")
    page.get_by_text("STOP is not confirmed").wait_for()
    assert "not confirmed" in page.evaluate(_TELL_RELEASED)
    page.unroute_all(behavior="ignoreErrors")
    page.get_by_text("STOP is not confirmed").wait_for(state="hidden")
    page.reload()
    page.get_by_text("Emergency stop.").wait_for()


_KEEP_SOCKET = """
    window.WebSocket = class extends WebSocket {
        constructor(...values) {
            super(...values);
            window.socket = this;
        }
    };
"""
_LEAVE_OUT_STATUS = """() => {
    const take = socket.onmessage;
    window.tell = (values) => take({ data: JSON.stringify(values) });
    socket.onmessage = (event) => {
        if (typeof event.data !== "string") return take(event);
        const { status, ...others } = JSON.parse(event.data);
        return tell(others);
    };
}"""
_TELL_RELEASED = """async () => {
    const { channel } = await import("/cockpit/channel.js");
    let last = null;
    channel.on("status", (status) => (last = status))();
    tell({ status: { ...last, is_stopped: false } });
    return document.querySelector(".cz-stop-error").textContent;
}"""
_NO_STOP = """async () => {
    const { channel } = await import("/cockpit/channel.js");
    const send = channel.send;
    channel.send = (kind, value) => kind !== "stop" && send.call(channel, kind, value);
}"""


def test_an_open_menu_is_no_obstacle(page: Any, served: Served) -> None:
    for how in ("click", "Escape", "Space"):
        page.evaluate(_MENU)
        page.get_by_role("option", name="five").wait_for()
        page.keyboard.down("w")
        wait_for_driving(served)
        if how == "click":
            box = page.locator(".cz-stop").bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        else:
            page.keyboard.press(how)
        wait_for_standstill(served)
        page.get_by_text("Emergency stop.").wait_for()
        page.keyboard.up("w")
        page.evaluate("menu.remove()")
        release(page)


# As long as one can be: it may reach over everything.
_MENU = """async () => {
    const { choice } = await import("/cockpit/choice.js");
    window.menu = choice("Anything");
    document.querySelector(".cz-header").append(menu);
    menu.options = ["one", "two", "three", "four", "five"].map((name) => [name, name]);
    menu.input.click();
}"""


def test_space_stops_in_a_menu_and_is_a_space_where_text_is_written(page: Any) -> None:
    page.get_by_role("tab", name="Express").click()
    field = page.get_by_label("Say", exact=True)
    field.click()
    field.press("Space")
    assert field.input_value() == " "
    assert page.get_by_text("Emergency stop.").is_hidden()
    for tab, menu in (("Express", "Cube"), ("Manage", "Level")):
        page.get_by_role("tab", name=tab).click()
        page.get_by_role("combobox", name=menu).click()
        page.locator("[role=listbox]:visible").first.wait_for()
        page.keyboard.press("Space")
        page.get_by_text("Emergency stop.").wait_for()
        page.keyboard.press("Escape")
        page.locator("[role=listbox]:visible").first.wait_for(state="detached")
        release(page)


def test_space_is_a_controls_own_key_for_who_walks_by_tab(page: Any) -> None:
    page.get_by_role("tab", name="See").click()
    layers = page.locator(".cz-layers summary")
    page.keyboard.press("Tab")
    layers.press("Space")
    page.locator(".cz-layers[open]").wait_for()
    page.get_by_role("tab", name="Express").click()
    page.locator("cozmo-clips").wait_for()
    # As of a sound that was chosen, to be listened to here first.
    page.keyboard.press("Tab")
    page.locator("audio").evaluate("(it) => (it.hidden = false, it.focus())")
    page.keyboard.press("Space")
    page.evaluate(SOME_FRAMES)
    assert page.get_by_text("Emergency stop.").is_hidden()
    # Whoever has pointed there walks no longer, and no text is written with a colour.
    page.locator("input[type=color]").first.evaluate(_POINT_AT)
    page.keyboard.press("Space")
    page.get_by_text("Emergency stop.").wait_for()


def test_space_stops_on_a_log_that_is_at_its_end(page: Any) -> None:
    page.get_by_role("tab", name="Manage").click()
    page.keyboard.press("Tab")
    page.locator(".cz-log").first.focus()
    page.keyboard.press("Space")
    page.get_by_text("Emergency stop.").wait_for()


# Without a colour picker, which a click opens.
_POINT_AT = """(it) => {
    it.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    it.focus();
}"""


def test_leaving_full_screen_stops_unless_it_is_by_the_button(page: Any) -> None:
    """By Escape the browser leaves it, and keeps the key to itself."""
    button = page.get_by_role("button", name="Full screen")
    for is_full in (True, False, True):
        button.click()
        page.wait_for_function("(it) => it === !!document.fullscreenElement", arg=is_full)
        page.evaluate(SOME_FRAMES)
        assert page.get_by_text("Emergency stop.").is_hidden()
    page.evaluate("document.exitFullscreen()")
    page.get_by_text("Emergency stop.").wait_for()


def test_a_robot_that_vanishes_is_said_and_found_again(page: Any, served: Served) -> None:
    page.keyboard.down("w")
    wait_for_driving(served)
    served.emulator.kill()
    page.keyboard.press("Escape")
    page.get_by_text("STOP is not confirmed").wait_for()
    page.get_by_text("robot not heard", exact=True).wait_for()
    page.keyboard.up("w")
    served.emulator.restart()
    page.get_by_text("connected", exact=True).wait_for()
    page.get_by_text("Emergency stop.").wait_for()  # it is told again
    page.get_by_text("STOP is not confirmed").wait_for(state="hidden")


_CONTROLS = ".cz-drive input, .cz-drive button, .cz-stick, .cz-stop, [role=tab]"
_ALERTS = ".cz-stop-error, .cz-alert:has(button)"
_OVERLAPS = """([alerts, controls]) => {
    const box = (element) => element.getBoundingClientRect();
    const all = (what) => [...document.querySelectorAll(what)].filter((it) => it.checkVisibility());
    return all(alerts).flatMap((alert) => {
        const { left, right, top, bottom } = box(alert);
        const others = [...all(controls), ...all(alerts).filter((it) => it !== alert)];
        const covered = others.filter((it) => {
            const o = box(it);
            return o.left < right && left < o.right && o.top < bottom && top < o.bottom;
        });
        const isOut = left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
        return [...covered.map((it) => it.outerHTML), ...(isOut ? ["out of the page"] : [])];
    });
}"""


_SIZES = [(1280, 800), (920, 700), (768, 1024), (360, 740), (740, 360)]


def test_what_is_said_of_a_stop_is_seen_and_covers_no_control(page: Any, network: Network) -> None:
    page.keyboard.press("Escape")
    page.get_by_text("Emergency stop.").wait_for()
    network.freeze()
    page.keyboard.press("Escape")
    page.get_by_text("STOP is not confirmed").wait_for()
    for width, height in _SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(SOME_FRAMES)
        assert page.locator(_ALERTS).count() == 2
        assert page.evaluate(_OVERLAPS, [_ALERTS, _CONTROLS]) == []


def test_a_robot_that_was_carried_waits_and_the_page_says_what_to_do(
    page: Any, served: Served
) -> None:
    assert not served.graph.set(after_pickup="hold")
    page.keyboard.down("w")
    wait_for_driving(served)
    served.emulator.call(lambda robot: robot.ground.pick_up())
    page.get_by_text("in the air").wait_for()
    served.emulator.call(lambda robot: robot.ground.put_down(Pose2D()))
    page.get_by_text("The robot was carried and waits. Release lets it drive.").wait_for()
    page.get_by_text("in the air").wait_for(state="hidden")
    assert served.emulator.state().left_speed == 0.0
    page.get_by_role("button", name="Release").click()
    page.get_by_text("The robot was carried").wait_for(state="hidden")
    # As after a stop: nobody drives off by a key that was held all the time.
    page.evaluate(SOME_FRAMES)
    assert served.emulator.state().left_speed == 0.0
    page.keyboard.up("w")
    page.keyboard.down("w")
    wait_for_driving(served)
    page.keyboard.up("w")
    assert not served.graph.set(after_pickup="continue")

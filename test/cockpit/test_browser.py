"""The page in a real Chromium, with a driver and an emulated robot behind it."""

from __future__ import annotations

import io
import re
import wave
import zipfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from cozmo_driver.protocol.enums import NVEntryTag

from ..nodes.graph import running_node, wait_until
from .browser import (
    MS,
    SOME_FRAMES,
    open_page,
    page_fixture,
    serious_findings,
    wait_for_driving,
    wait_for_standstill,
    wheels,
)
from .conftest import Served

page = page_fixture()


def test_a_held_key_drives_and_a_released_one_or_a_lost_page_stops(
    page: Any, served: Served
) -> None:
    page.keyboard.down("w")
    wait_for_driving(served)
    page.get_by_text("You drive").wait_for()
    page.keyboard.up("w")
    wait_for_standstill(served)
    # A page that is lost stops it too.
    page.keyboard.down("w")
    wait_for_driving(served)
    page.goto("about:blank")
    wait_for_standstill(served)


_KEY = "([kind, code, key]) => dispatchEvent(new KeyboardEvent(kind, { code, key }))"


def test_a_key_drives_by_its_letter_where_that_has_another_place(page: Any, served: Served) -> None:
    page.evaluate(_KEY, ["keydown", "KeyZ", "w"])
    wait_for_driving(served)
    # With Shift, or another layout meanwhile, it is released under another letter.
    page.evaluate(_KEY, ["keyup", "KeyZ", "y"])
    wait_for_standstill(served)


def test_arrows_drive_after_a_click_on_a_tab_and_change_it_for_who_walks_by_tab(
    page: Any, served: Served
) -> None:
    drive, see = (page.get_by_role("tab", name=name) for name in ("Drive", "See"))
    drive.click()
    page.keyboard.down("ArrowRight")
    wait_until(lambda: wheels(served)[0] > 20.0 > -20.0 > wheels(served)[1], "it does not turn")
    assert drive.get_attribute("aria-selected") == "true"
    page.keyboard.up("ArrowRight")
    wait_for_standstill(served)
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    assert see.get_attribute("aria-selected") == "true"
    assert wheels(served) == (0.0, 0.0)


_SPEAK_GERMAN = "localStorage.setItem('cozmo-language', 'de'); location.reload()"
_ASK_IN_VAIN = """async () => {
    const { ask } = await import("/cockpit/ui.js");
    await ask("checkup_start", { steps: [], images: true });
}"""


def test_what_the_cockpit_answers_is_said_in_the_pages_language(page: Any) -> None:
    page.evaluate(_SPEAK_GERMAN)
    page.get_by_text("verbunden", exact=True).wait_for()
    page.evaluate(_ASK_IN_VAIN)
    page.get_by_text("Mindestens einen Schritt wählen").wait_for()


def drag(page: Any, selector: str, dx: float, dy: float) -> Any:
    """Put a finger on the middle of an element and move it; return what lifts it."""
    box = page.locator(selector).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    touch("touchStart", (x, y))
    touch("touchMove", (x + dx, y + dy))
    return lambda: touch("touchEnd")


def test_a_finger_on_the_joystick_drives_on_a_telephone(served: Served, context: Any) -> None:
    page = open_page(context, served, 360, 740)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    lift = drag(page, ".cz-stick", 0, -60)
    wait_for_driving(served)
    lift()
    wait_for_standstill(served)


def test_a_watcher_sees_who_drives_stops_and_takes_over(page: Any, served: Served) -> None:
    watcher = open_page(page.context, served)
    page.keyboard.down("w")
    wait_for_driving(served)
    watcher.locator("cozmo-wheel[data-state=other]").wait_for()
    watcher.keyboard.press("Escape")
    wait_for_standstill(served)
    page.get_by_text("Emergency stop.").wait_for()
    page.keyboard.up("w")
    watcher.get_by_role("button", name="Release").click()
    page.get_by_text("Emergency stop.").wait_for(state="hidden")
    watcher.get_by_role("button", name="Take over").click()
    page.locator("cozmo-wheel[data-state=other]").wait_for()
    watcher.keyboard.down("w")
    wait_for_driving(served)
    watcher.close()
    wait_for_standstill(served)
    page.get_by_text("Nobody drives").wait_for()


_HIDE = """() => {
    Object.defineProperty(document, "hidden", { value: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


_HIDERS = (
    "dispatchEvent(new KeyboardEvent('keydown', { key: 'Meta' }))",
    "dispatchEvent(new Event('contextmenu'))",
    "dispatchEvent(new Event('blur'))",
    _HIDE,
)


def test_keys_count_no_more_where_their_release_may_not_be_told(page: Any, served: Served) -> None:
    for hide in _HIDERS:
        page.keyboard.down("w")
        wait_for_driving(served)
        page.evaluate(hide)
        wait_for_standstill(served)
        page.keyboard.up("w")


def test_a_network_that_is_lost_stops_the_robot_and_the_page_comes_back(
    page: Any, served: Served
) -> None:
    page.keyboard.down("w")
    wait_for_driving(served)
    page.context.set_offline(True)
    wait_for_standstill(served)
    page.keyboard.up("w")
    page.context.set_offline(False)
    page.keyboard.down("w")
    wait_for_driving(served)
    page.keyboard.up("w")
    wait_for_standstill(served)


_GAMEPAD = """() => {
    const buttons = Array(17).fill({ pressed: false });
    window.pad = { connected: true, axes: [0, 0, 0, 0], buttons };
    navigator.getGamepads = () => [null, window.pad];
    dispatchEvent(new Event("gamepadconnected"));
}"""


def let_go_it_drives_again(page: Any, served: Served) -> None:
    page.evaluate("pad.axes = [0, 0, 0, 0]")
    page.evaluate(SOME_FRAMES)
    page.evaluate("pad.axes = [0, -1, 0, 0]")
    wait_for_driving(served)
    page.evaluate("pad.connected = false")
    wait_for_standstill(served)


def test_a_gamepad_drives_stops_and_may_be_unplugged(page: Any, served: Served) -> None:
    page.evaluate(_GAMEPAD)
    page.evaluate("pad.axes = [0.05, -1, 0, 0]")
    wait_for_driving(served)
    page.evaluate("pad.axes = [0.05, 0.02, 0, 0]")
    wait_for_standstill(served)
    page.evaluate("pad.axes = [0, -1, 0, 0]")
    wait_for_driving(served)
    page.evaluate("pad.buttons = pad.buttons.map((_, i) => ({ pressed: i === 1 }))")
    page.get_by_text("Emergency stop.").wait_for()
    wait_for_standstill(served)
    page.evaluate("Object.assign(pad, { axes: [0, 0, 0, 0], buttons: [] })")
    page.get_by_role("button", name="Release").click()
    page.get_by_text("Emergency stop.").wait_for(state="hidden")
    # Held while another page stops and releases, it drives no more until it has been at rest.
    page.evaluate("pad.axes = [0, -1, 0, 0]")
    wait_for_driving(served)
    other = open_page(page.context, served)
    other.keyboard.press("Escape")
    wait_for_standstill(served)
    other.get_by_role("button", name="Release").click()
    page.get_by_text("Emergency stop.").wait_for(state="hidden")
    page.evaluate(SOME_FRAMES)
    assert wheels(served) == (0.0, 0.0)
    other.close()
    page.bring_to_front()
    let_go_it_drives_again(page, served)


def test_a_gamepad_that_is_held_after_a_stop_does_not_drive_off_on_another_tab(
    page: Any, served: Served
) -> None:
    page.evaluate(_GAMEPAD)
    page.evaluate("pad.axes = [0, -1, 0, 0]")
    wait_for_driving(served)
    page.keyboard.press("Escape")
    page.get_by_text("Emergency stop.").wait_for()
    page.get_by_role("button", name="Release").click()
    page.get_by_text("Emergency stop.").wait_for(state="hidden")
    page.get_by_role("tab", name="See").click()
    page.locator("#panel-see cozmo-keys").wait_for(state="attached")
    page.evaluate(SOME_FRAMES)
    assert wheels(served) == (0.0, 0.0)
    let_go_it_drives_again(page, served)


_NONSENSE = """async () => {
    const { channel } = await import("/cockpit/channel.js");
    for (const values of [[null], [5, "x"], ["enable", {}], ["point", { kind: "fly", x: 0, y: 0 }],
        ["draw", { pixels: 5 }], ["cube_lights", { cube: "x" }], ["manipulate", { action: "x" }]]) {
        const answer = await channel.ask(...values.map((value) => value ?? "none"));
        if (answer.success || !answer.message) throw new Error(JSON.stringify([values, answer]));
    }
    channel.send("drive", { fast: true });
    for (const isExpected of [false, true]) await new Promise((resolve) => {
        channel.on("open", (isOpen) => isOpen === isExpected && resolve());
    });
}"""


def test_nonsense_is_refused_and_the_cockpit_goes_on(page: Any, served: Served) -> None:
    page.evaluate(_NONSENSE)
    wait_until(lambda: "refused: a message that makes no sense" in served.node.log, "not refused")
    page.keyboard.down("w")
    wait_for_driving(served)
    page.keyboard.up("w")
    wait_for_standstill(served)


def test_sliders_and_switch_move_head_and_lift_and_light(page: Any, served: Served) -> None:
    page.get_by_label("Head", exact=True).fill("20")
    page.get_by_label("Lift", exact=True).fill("80")
    state = served.emulator.state
    wait_until(lambda: abs(state().head_angle - 0.349) < 0.02, "the head does not move")
    wait_until(lambda: abs(state().lift_height - 80.0) < 3.0, "the lift does not move")
    page.get_by_role("switch", name="Head light").click()
    wait_until(lambda: served.emulator.call(lambda f: f.backpack.head_light), "no light")


def test_the_head_looks_ahead_and_a_photo_of_that_is_taken(page: Any, served: Served) -> None:
    page.get_by_label("Head", exact=True).fill("-25")
    wait_until(lambda: served.emulator.state().head_angle < -0.4, "the head does not move")
    page.get_by_role("button", name="Look ahead").click()
    wait_until(lambda: served.emulator.state().head_angle > 0.0, "the head stays down")
    page.get_by_role("button", name="Look ahead").wait_for(state="hidden")
    with page.expect_download() as download:
        page.get_by_role("button", name="Take a photo").click()
    assert re.fullmatch(r"cozmo-\d{8}-\d{6}\.png", download.value.suggested_filename)
    with Image.open(download.value.path()) as photo:
        assert photo.size == (320, 240)


def test_the_code_for_a_telephone_is_read_as_its_text_or_says_why_there_is_none(page: Any) -> None:
    open_manage(page)
    page.get_by_role("button", name="Show the code for a telephone").click()
    page.get_by_text("This cockpit is for this computer only").wait_for()
    for length in (9, 70, 180):
        text = ("http://192.0.2.1/?" + "0aZ_" * 50)[:length]
        rows = page.evaluate(_CODE, text)
        modules = np.where(np.pad(np.array(rows), 4), 0, 255).astype(np.uint8)
        picture = modules.repeat(8, axis=0).repeat(8, axis=1)
        assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == text


_CODE = "async (text) => (await import('/cockpit/qr.js')).qrCode(text)"


_OF_COLOUR = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


def test_axe_finds_nothing_serious_on_any_tab(page: Any) -> None:
    page.emulate_media(reduced_motion="reduce")
    for tab in page.get_by_role("tab").all():
        tab.click()
        page.wait_for_load_state("networkidle")
        page.emulate_media(color_scheme="light")
        page.locator("html:not(.dark)").wait_for(state="attached")
        assert serious_findings(page) == []
        page.emulate_media(color_scheme="dark")
        page.locator("html.dark").wait_for(state="attached")
        assert serious_findings(page, runOnly=_OF_COLOUR) == []


_OVERFLOW = """() => {
    const main = document.querySelector(".cz-main");
    return main.scrollHeight - main.clientHeight;
}"""
_JUMPS = """() => {
    window.jumps = [];
    new PerformanceObserver((list) => {
        for (const one of list.getEntries()) {
            const what = one.sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? "?");
            if (!one.hadRecentInput) jumps.push([one.value, ...what]);
        }
    }).observe({ type: "layout-shift", buffered: true });
}"""


def test_nothing_jumps_or_is_cut_off_on_a_telephone(served: Served, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.set_default_timeout(MS)
    page.add_init_script(f"({_JUMPS})()")
    for tab in ("drive", "see", "express", "live", "manage"):
        page.goto(f"{served.url}?tab={tab}")
        page.get_by_text("connected", exact=True).first.wait_for()
        page.wait_for_load_state("networkidle")
        jumps = page.evaluate("jumps")
        # What the field calls good: of the page's height, weighted with the share that moves.
        assert sum(size for size, *_ in jumps) < 0.1, (tab, jumps)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab
        # Only the tab's panel scrolls: outside of it there is nothing to see.
        assert page.evaluate(_OVERFLOW) == 0, tab
    context.close()


def lit_pixels(served: Served) -> int:
    return int(served.emulator.call(lambda robot: robot.display.picture.sum()))


def test_what_is_drawn_is_on_the_display_until_the_face_is_given_back(
    page: Any, served: Served
) -> None:
    page.get_by_role("tab", name="Express").click()
    with running_node("face_node", served.graph.namespace):
        wait_until(lambda: lit_pixels(served) > 500, "the face node does not draw")
        board = page.get_by_label("Drawing board").bounding_box()
        middle = board["y"] + board["height"] / 2
        page.mouse.move(board["x"] + 0.1 * board["width"], middle)
        page.mouse.down()
        page.mouse.move(board["x"] + 0.9 * board["width"], middle)
        page.mouse.up()
        page.get_by_role("button", name="Show on the robot").click()

        def is_drawn() -> bool:
            rows = served.emulator.call(
                lambda robot: robot.display.picture.any(axis=1).nonzero()[0]
            )
            # A line as wide as the pen, of two rows one is lit; of eyes that blink, as few.
            return 80 <= lit_pixels(served) <= 250 and all(abs(row - 32) <= 2 for row in rows)

        wait_until(is_drawn, "the drawing is not shown")
        page.get_by_role("button", name="Give the face back").click()
        wait_until(lambda: lit_pixels(served) > 500, "the face does not come back")


def test_a_tab_that_was_not_loaded_is_loaded_when_it_is_opened_again(page: Any) -> None:
    page.route("**/clips.js", lambda route: route.abort())
    page.get_by_role("tab", name="Express").click()
    page.get_by_text("This tab was not loaded").wait_for()
    page.unroute("**/clips.js")
    page.get_by_role("tab", name="Express").click()
    page.get_by_role("region", name="Clips").wait_for()


def test_why_a_list_is_not_answered_is_told_once_where_it_stays(page: Any) -> None:
    assert page.evaluate(_ASKED_UNTIL) == ["nobody offers it"]


_ASKED_UNTIL = """async () => {
    const { channel } = await import("/cockpit/channel.js");
    const { askUntil } = await import("/cockpit/ui.js");
    const messages = ["was lost", "nobody offers it", "nobody offers it", "nobody offers it"];
    const answers = messages.map((message) => ({ success: false, message }));
    answers.push({ success: true, message: "" });
    channel.ask = async () => answers.shift();
    const told = [];
    const keep = (changes) => changes.forEach(({ addedNodes }) => told.push(...addedNodes));
    new MutationObserver(keep).observe(document.querySelector(".cz-toasts"), { childList: true });
    const later = window.setTimeout;
    window.setTimeout = (call, ms) => later(call, ms / 100);
    await askUntil(document.body, "songs");
    return told.map((toast) => toast.textContent);
}"""


def test_lights_have_the_colours_that_are_picked(page: Any, served: Served) -> None:
    page.get_by_role("tab", name="Express").click()
    card = page.get_by_role("region", name="Backpack lights")
    card.get_by_label("All").fill("#00ff00")
    card.get_by_label("Rear").fill("#0000ff")
    card.get_by_role("button", name="Show").click()

    def parts() -> list[int]:
        """Which part of each light's colour is the strongest."""
        colors = served.emulator.call(lambda robot: robot.backpack.colors())
        return [color.index(max(color)) for color in colors]

    wait_until(lambda: parts() == [0, 1, 1, 2, 0], "the lights have other colours")


def tone() -> bytes:
    """Return a WAV file of half a second."""
    samples = 9000 * np.sin(2 * np.pi * 440 * np.arange(11160) / 22320)
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(22320)
        sound.writeframes(samples.astype("<i2").tobytes())
    return file.getvalue()


def choose(page: Any, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    page.locator("input[type=file]").wait_for(state="attached")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("Play a sound file")).click()
    chooser.value.set_files(file)


def is_heard(served: Served) -> bool:
    return any(np.abs(sound.samples).max() > 3000 for sound in served.emulator.played_audio())


def test_after_wrong_files_a_good_one_is_played(page: Any, served: Served, tmp_path: Path) -> None:
    page.get_by_role("tab", name="Express").click()
    served.emulator.call(lambda robot: robot.animation.recording.clear())
    for name, content in (
        ("letter.txt", b"Dear robot"),
        ("broken.wav", b"no sound at all"),
        ("empty.ogg", b""),
        ("long.wav", bytes(10_500_000)),
    ):
        choose(page, tmp_path / name, content)
        page.locator(".cz-toast", has_text=name).first.wait_for()
        assert "/tmp" not in page.locator(".cz-toast", has_text=name).first.inner_text()
    assert not is_heard(served)
    choose(page, tmp_path / "my tone.wav", tone())
    wait_until(lambda: is_heard(served), "the robot plays nothing")
    served.emulator.call(lambda robot: robot.animation.recording.clear())
    choose(page, tmp_path / "my tone.wav", tone())
    wait_until(lambda: is_heard(served), "the robot plays it no second time")


def test_the_personality_is_switched_on_with_its_permissions(page: Any, served: Served) -> None:
    page.get_by_role("tab", name="Live").click()
    page.get_by_text("The personality does not run").wait_for()
    with running_node("behavior_node", served.graph.namespace, keep_needs=False):
        page.get_by_text("switched off", exact=True).wait_for()
        page.get_by_role("switch", name="It may drive").click()
        page.get_by_role("switch", name="Alive").click()
        page.get_by_text("does what it likes").wait_for()
        assert serious_findings(page) == []
        wait_until(
            lambda: served.graph.get("allow_motion", "cozmo_behavior"), "the permission is not set"
        )
        page.get_by_role("switch", name="Alive").click()
        page.get_by_text("switched off", exact=True).wait_for()
    # As it is with a node that is started again, and with one that is told by somebody else.
    with running_node("behavior_node", served.graph.namespace, keep_needs=False):
        page.get_by_role("switch", name="It may drive", checked=False).wait_for()
        assert not served.graph.set("cozmo_behavior", allow_motion=True)
        page.get_by_role("switch", name="It may drive", checked=True, disabled=False).wait_for()


def open_manage(page: Any) -> None:
    page.get_by_role("tab", name="Manage").click()
    page.locator(".cz-parameter").first.wait_for(state="attached")


def test_a_parameter_is_set_and_a_refused_one_stays_with_the_reason(
    page: Any, served: Served
) -> None:
    before = served.graph.get("max_wheel_speed")
    open_manage(page)
    page.get_by_label("Search parameters").fill("wheel speed fastest")
    field = page.get_by_label("max_wheel_speed")
    field.fill("0.1")
    field.press("Enter")
    wait_until(lambda: served.graph.get("max_wheel_speed") == 0.1, "it is not set")
    page.get_by_text("Nobody drives").wait_for()
    field.fill("9")
    field.press("Enter")
    page.locator(".cz-reason", has_text="out of range").wait_for()
    assert field.input_value() == "0.1"
    watcher = open_page(page.context, served)
    open_manage(watcher)
    page.get_by_role("tab", name="Drive").click()
    page.locator(".cz-stick").wait_for()
    page.keyboard.down("t")
    watcher.locator("cozmo-wheel[data-state=other]").wait_for()
    watcher.get_by_label("Search parameters").fill("max_wheel_speed")
    watcher.get_by_label("max_wheel_speed").fill("0.2")
    watcher.get_by_label("max_wheel_speed").press("Enter")
    watcher.locator(".cz-reason", has_text="another page has the wheel").wait_for()
    page.keyboard.up("t")
    assert served.graph.get("max_wheel_speed") == 0.1
    page.get_by_role("tab", name="Manage").click()
    page.get_by_role("button", name="Undo the last change").click()
    wait_until(lambda: served.graph.get("max_wheel_speed") == before, "it is not undone")


def test_an_undo_that_is_refused_can_be_done_later(page: Any, served: Served) -> None:
    before = served.graph.get("max_wheel_speed")
    open_manage(page)
    page.get_by_label("Search parameters").fill("max_wheel_speed")
    field, undo = page.get_by_label("max_wheel_speed"), page.get_by_label("Undo the last change")
    field.fill("0.1")
    field.press("Enter")
    wait_until(lambda: served.graph.get("max_wheel_speed") == 0.1, "it is not set")
    driver = open_page(page.context, served)
    driver.keyboard.down("t")
    page.locator("cozmo-wheel[data-state=other]").wait_for()
    undo.click()
    page.locator(".cz-reason", has_text="another page has the wheel").wait_for()
    assert field.input_value() == "0.1"
    driver.close()
    page.get_by_text("Nobody drives").wait_for()
    undo.click()
    wait_until(lambda: served.graph.get("max_wheel_speed") == before, "it is not undone")
    page.wait_for_function("(field) => field.value !== '0.1'", arg=field.element_handle())
    assert undo.is_disabled()


def _set_in_list(then: str) -> str:
    """Return what sets a parameter from 0.2 to 0.1 in a list of its own, and goes on."""
    return (
        """async () => {
    const { channel } = await import("/cockpit/channel.js");
    const info = { name: "speed", value: 0.2, low: 0, high: 1, text: "", rule: "" };
    const list = document.createElement("cozmo-parameters");
    channel.ask = async () => ({ success: false, message: "not now" });
    document.body.append(list);
    await list.load();
    list.show("cozmo_face", [info]);
    const input = list.querySelector("input[type=number]");
    channel.ask = async () => ({ success: true, value: 0.1 });
    input.value = "0.1";
    await list.change("cozmo_face", "speed", "0.1");
    """
        + then
        + "}"
    )


def test_a_refused_parameter_falls_back_to_the_last_that_was_set(page: Any) -> None:
    """Also where the other nodes answer later, and the feed of changes has not come yet."""
    open_manage(page)
    assert page.evaluate(_REFUSED_AFTER_SET) == "0.1"


_REFUSED_AFTER_SET = _set_in_list("""
    list.show("cozmo_behavior", []);
    channel.ask = async () => ({ success: false, message: "out of range" });
    await list.change("cozmo_face", "speed", "9");
    return list.querySelector("input[type=number]").value;
""")


def test_asking_the_nodes_again_shows_what_they_answer(page: Any) -> None:
    """Also where it is what they answered first: a node may have been started again."""
    open_manage(page)
    assert page.evaluate(_ASKED_AGAIN) == "0.2"


_ASKED_AGAIN = _set_in_list("""
    list.show("cozmo_face", [info]);
    return input.value;
""")


def test_a_page_cannot_set_what_the_driver_runs_or_permits(page: Any, served: Served) -> None:
    open_manage(page)
    for name, value in (("speech_command", "touch /tmp/x {wav}"), ("allow_nv_write", "true")):
        before = served.graph.get(name)
        page.get_by_label("Search parameters").fill(name)
        assert page.get_by_label(name).is_disabled()
        page.get_by_label(name).evaluate(_SET, ["cozmo_driver", name, value])
        page.locator(".cz-reason", has_text=f"{name} cannot be changed from a page").wait_for()
        assert served.graph.get(name) == before


_SET = """(control, values) => control.closest("cozmo-parameters").change(...values)"""


def test_the_storage_and_a_recording_are_downloaded(
    page: Any, served: Served, tmp_path: Path
) -> None:
    reading = pytest.importorskip("mcap_ros2.reader", reason="mcap-ros2-support is not installed")
    content = bytes(range(256)) * 9
    served.emulator.call(lambda robot: robot.storage.put(NVEntryTag.GAME_UNLOCKS, content))
    open_manage(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.read("game_unlocks.bin") == content
    page.get_by_role("button", name="Record", exact=True).click()
    page.get_by_text(re.compile(r"[1-9]\.?\d* MB, \d\d topics")).wait_for()
    page.get_by_role("button", name="Stop the recording").click()
    with page.expect_download() as download:
        page.locator(".cz-list a").click()
    file = tmp_path / "recording.mcap"
    download.value.save_as(file)
    topics = {message.channel.topic for message in reading.read_ros2_messages(str(file))}
    assert {f"{served.graph.namespace}/odom", "/tf"} <= topics
    page.get_by_role("button", name="Delete").click()
    page.locator(".cz-list a").wait_for(state="detached")


def test_log_and_events_are_shown_in_words_and_never_a_program(page: Any, served: Served) -> None:
    open_manage(page)
    served.emulator.call(lambda robot: robot.handling.press_button())
    page.get_by_label("Events of the robot", exact=True).get_by_text("was pressed").wait_for()
    page.get_by_role("button", name="Disconnect").click()
    page.get_by_role("button", name="Connect", exact=True).click()
    log = page.get_by_label("Log of the robot's nodes", exact=True)
    log.get_by_text("connected to robot").last.wait_for()
    text = "<img src=x onerror='window.hacked = 1'>"
    served.graph.node.get_logger().warning(text)
    log.get_by_text(text).wait_for()
    assert page.evaluate("window.hacked") is None

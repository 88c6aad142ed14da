"""The tab See in a real Chromium: the scene, and places that are tapped."""

from __future__ import annotations

import itertools
import math
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.cockpit.pointing import floor_point
from cozmo_driver.emulator import EmulatorServer, Identity
from cozmo_driver.link import LoopThread
from cozmo_driver.perception import MOUNT_PRIOR, LearntMount, Mount, save_mount
from cozmo_driver.perception.kept_mount import mount_path
from cozmo_driver.robot import data_directory

from ..emulator.controlled_room import controlled_room_in_thread
from ..nodes.graph import LATCHED, running_node
from ..waiting import TIMEOUT, wait_until
from .browser import (
    MS,
    SOME_FRAMES,
    open_page,
    page_fixture,
    serious_findings,
    wait_for_standstill,
)
from .conftest import Served
from .test_node import ADDRESS
from .test_pointing import CAMERA

page = page_fixture(700, 600, tab="See", shows="cozmo-scene canvas")
LAYER = "document.querySelector('cozmo-scene').view?.layers.find((one) => one.name === '{}')"
DRAWN = """() => {
  const { width, height } = document.querySelector('cozmo-detections canvas');
  const context = document.querySelector('cozmo-detections canvas').getContext('2d');
  const { data } = context.getImageData(0, 0, width, height);
  const box = [width, 0, height, 0];
  for (let at = 0; at < width * height; at++) {
    if (data[4 * at + 3] < 200) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    box.splice(0, 2, Math.min(box[0], x), Math.max(box[1], x));
    box.splice(2, 2, Math.min(box[2], y), Math.max(box[3], y));
  }
  return [...box, document.querySelector('cozmo-detections').textContent];
}"""
"""Left, right, top and bottom of what is drawn over the picture, twice its pixels, and its text.

At once: both go half a second after what was recognised.
"""


def place(served: Served) -> tuple[float, float, float]:
    pose = served.emulator.truth().pose
    return pose.x, pose.y, pose.yaw


def tap_picture(page: Any, u: float, v: float) -> None:
    """Tap a pixel of the camera's 320 x 240."""
    box = page.locator("cozmo-eye cozmo-camera").bounding_box()
    x, y = box["width"] * u / 320, box["height"] * v / 240
    page.locator("cozmo-eye cozmo-camera").click(position={"x": x, "y": y})


def go(page: Any, ahead: int, left: int) -> None:
    """Choose a place by numbers, cm."""
    page.get_by_label("Centimetres ahead").fill(str(ahead))
    page.get_by_label("Centimetres left").fill(str(left))
    page.get_by_role("button", name="Go", exact=True).click()


def test_places_are_looked_at_driven_to_and_given_up(page: Any, served: Served) -> None:
    page.get_by_text("calibrated", exact=True).wait_for()
    page.get_by_text("By numbers").click()
    page.get_by_role("button", name="Look there").click()
    go(page, 30, 30)
    wait_until(lambda: abs(place(served)[2] - math.radians(45)) < 0.1, "it does not turn")
    wait_until(lambda: served.emulator.state().head_angle > -0.2, "it does not look up")
    wait_for_standstill(served)
    start = place(served)

    tap_picture(page, 160, 5)
    page.get_by_text("above the horizon").wait_for()

    page.get_by_role("button", name="Drive there").click()
    way = floor_point(CAMERA, served.emulator.state().head_angle, 143, 200)[0]
    assert way > 0.1
    tap_picture(page, 143, 200)
    wait_until(lambda: abs(math.dist(place(served)[:2], start[:2]) - way) < 0.03, "it is not there")
    wait_for_standstill(served)

    go(page, 200, 0)
    page.get_by_text("Driving to the mark").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Driving to the mark").wait_for(state="hidden")
    wait_for_standstill(served)
    assert math.dist(place(served)[:2], start[:2]) < 1.5


_KEEP_GOAL = """async () => {
    const { channel } = await import("/cockpit/channel.js");
    const pose = () => document.querySelector("cozmo-pointing").pose;
    channel.on("goal", (goal) => goal && (window.goal ??= [pose(), goal]));
}"""


def test_a_tap_in_the_picture_means_what_the_learnt_camera_sees(page: Any, served: Served) -> None:
    serial, mount = Identity().head_serial, Mount(0.0, 0.0, 0.06)
    save_mount(data_directory(), serial, LearntMount(mount, MOUNT_PRIOR, 9))
    page.get_by_text("calibrated", exact=True).wait_for()
    page.evaluate(_KEEP_GOAL)

    def bearing_of_tap() -> float:
        """Return where the goal of a tap in the middle is for the robot, rad."""
        page.get_by_text("Driving to the mark").wait_for(state="hidden")
        wait_for_standstill(served)
        page.evaluate("window.goal = null")
        tap_picture(page, 160, 200)
        pose, goal = page.wait_for_function("() => window.goal").json_value()
        bearing = math.atan2(goal["y"] - pose["y"], goal["x"] - pose["x"]) - pose["yaw"]
        return math.remainder(bearing, math.tau)

    head = served.emulator.state().head_angle
    as_drawn, meant = (
        math.atan2(*reversed(floor_point(CAMERA, head, 160, 200, one))) for one in (Mount(), mount)
    )
    assert abs(meant - as_drawn) > 0.05
    # Whose camera it is may be known later than the picture.
    wait_until(lambda: abs(bearing_of_tap() - meant) < 0.02, "it means another place")
    mount_path(data_directory(), serial).unlink()


def test_a_robot_at_rest_is_not_drawn_again_and_again(page: Any, served: Served) -> None:
    wait_for_standstill(served)
    page.evaluate("""() => {
      const { renderer } = document.querySelector('cozmo-scene').view;
      const draw = renderer.draw.bind(renderer);
      window.draws = 0;
      renderer.draw = (...what) => { window.draws += 1; draw(...what); };
    }""")

    def drawn_in_a_second() -> int:
        before = page.evaluate("window.draws")
        page.wait_for_timeout(1000)  # the measure itself
        return page.evaluate("window.draws") - before

    wait_until(lambda: drawn_in_a_second() <= 2, "it draws what it has drawn")
    page.keyboard.down("w")
    wait_until(lambda: drawn_in_a_second() > 2, "it does not draw a robot that drives")
    page.keyboard.up("w")


def test_a_scene_that_the_graphics_have_forgotten_is_built_anew(page: Any) -> None:
    tools = page.get_by_role("toolbar", name="Scene").get_by_role("button")
    page.get_by_role("button", name="Follow the robot").wait_for()
    buttons, canvas = tools.count(), page.locator("cozmo-scene canvas")
    former = canvas.element_handle()
    former.evaluate(_LOSE)
    page.wait_for_function(
        "(former) => !former.isConnected && document.querySelector('cozmo-scene').view?.robot.pose",
        arg=former,
    )
    assert (canvas.count(), tools.count()) == (1, buttons)


_LOSE = """(canvas) =>
    canvas.getContext("webgl2").getExtension("WEBGL_lose_context").loseContext()"""


def test_a_scene_that_loads_slowly_is_built_once_and_one_that_fails_is_said_to(
    context: Any, served: Served
) -> None:
    page = open_page(context, served)
    held: list[Any] = []
    page.route("**/view3d.js", lambda route: held.append(route))
    for tab in ("See", "Drive", "See"):
        page.get_by_role("tab", name=tab).click()
        page.locator(f"#panel-{tab.lower()} cozmo-keys").wait_for(state="attached")
    while not held:
        page.evaluate(SOME_FRAMES)
    held.pop().abort()
    page.get_by_text("This tab was not loaded").wait_for()
    assert not page.get_by_text("WebGL is off").count()
    for tab in ("Drive", "See", "Drive", "See"):
        page.get_by_role("tab", name=tab).click()
    while not held:
        page.evaluate(SOME_FRAMES)
    for route in held:
        route.continue_()
    tools = page.get_by_role("toolbar", name="Scene").get_by_role("button")
    tools.first.wait_for()
    page.evaluate(SOME_FRAMES)
    names = [tool.get_attribute("aria-label") for tool in tools.all()]
    assert len(names) == len(set(names))


def test_a_tap_in_the_scene_goes_to_its_place(page: Any, served: Served) -> None:
    start = place(served)
    box = page.locator("cozmo-scene canvas").bounding_box()
    at = {"x": box["width"] / 2, "y": 0.8 * box["height"]}
    page.locator("cozmo-scene canvas").click(position=at)
    wait_until(lambda: math.dist(place(served)[:2], start[:2]) > 0.05, "it does not move")


def test_meshes_are_served_and_nothing_beside_them(served: Served) -> None:
    with urllib.request.urlopen(f"{served.url}meshes/body_shell.stl") as answer:
        assert len(answer.read()) > 50_000
    for path in ("../package.xml", "..%2Fpackage.xml", "%2e%2e%2fpackage.xml", "", "x.stl"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{served.url}meshes/{path}")


def test_health_that_is_told_no_more_is_no_news(page: Any) -> None:
    assert page.evaluate(_HEALTH) == ["ok", "ok", "dim", "ok"]


_HEALTH = """async () => {
    await customElements.whenDefined("cozmo-health");
    const health = document.createElement("cozmo-health");
    const { setInterval } = window;
    let tick;
    window.setInterval = (call) => (tick = call);
    document.body.append(health);
    window.setInterval = setInterval;
    const values = { node: "a_node", name: "a name", level: 0, message: "", values: {} };
    const tell = (stamp) => health.feeds().diagnostics([{ ...values, stamp }]);
    const isIts = (row) => row.textContent.includes("a name");
    const row = () => [...health.querySelectorAll("li")].find(isIts);
    const after = (ticks) => {
        for (let i = 0; i < ticks; i += 1) tick();
        return row().dataset.state;
    };
    tell(1);
    const states = [after(0), after(4)];
    tell(1);
    states.push(after(1));
    tell(2);
    return [...states, after(0)];
}"""


def test_located_objects_stand_in_the_scene(page: Any, served: Served) -> None:
    from cozmo_interfaces.msg import ObjectState, ObjectStates

    publisher = served.graph.publisher(ObjectStates, "object_states", LATCHED)

    def publish(state: int, x: float) -> None:
        cube = ObjectState(name="cube_2", kind=ObjectState.CUBE, state=state)
        cube.pose.position.x, cube.pose.position.z = x, 0.022
        cube.size.x = cube.size.y = cube.size.z = 0.044
        charger = ObjectState(name="charger", kind=ObjectState.CHARGER, state=ObjectState.UNKNOWN)
        publisher.publish(ObjectStates(objects=[cube, charger]))

    shown = (
        f"{LAYER.format('Objects seen')}?.group.children.filter((one) => one.visible)"
        ".map((one) => [one.position[0], one.children[0].children[0].look.opacity])"
    )
    publish(ObjectState.KNOWN, 0.25)
    wait_until(lambda: page.evaluate(shown) == [[0.25, 1]], "the cube is not shown")
    publish(ObjectState.DIRTY, 0.30)
    wait_until(lambda: page.evaluate(shown) == [[0.3, 0.45]], "it is not shown as unsure")
    publish(ObjectState.UNKNOWN, 0.30)
    wait_until(lambda: page.evaluate(shown) == [], "it is still shown")


def test_the_map_of_the_ground_lies_in_the_scene(page: Any, served: Served) -> None:
    from nav_msgs.msg import OccupancyGrid

    grid = OccupancyGrid(data=[-1] * 20 + [-1, 0, 0, 100, -1] + [-1] * 5)
    grid.info.width, grid.info.height, grid.info.resolution = 5, 6, 0.01
    grid.info.origin.position.x, grid.info.origin.position.y = -0.02, 0.1
    served.graph.publisher(OccupancyGrid, "map_memory", LATCHED).publish(grid)
    plane = f"{LAYER.format('Ground seen')}?.plane"
    wait_until(lambda: page.evaluate(f"{plane}?.visible"), "the map is not shown")
    place = page.evaluate(f"[...{plane}.scale, ...{plane}.position].map((v) => +v.toFixed(4))")
    assert place[:2] == [0.03, 0.01]
    assert place[3:5] == [0.005, 0.145]
    alpha = page.evaluate(f"[...{plane}.look.texture.data].filter((_, at) => at % 4 === 3)")
    assert 0 < alpha[0] == alpha[1] < alpha[2]


def test_what_is_recognised_is_framed_in_the_picture(page: Any, served: Served) -> None:
    from cozmo_interfaces.msg import Face, FaceArray, Marker, MarkerArray

    markers = served.graph.publisher(MarkerArray, "markers")
    faces = served.graph.publisher(FaceArray, "faces")
    names, corners = ("cube_3", ""), [100.0, 80.0, 140.0, 80.0, 140.0, 120.0, 100.0, 120.0]
    stamps = itertools.count(1)

    def is_framed() -> bool:
        found = MarkerArray(width=320, markers=[Marker(name=n, corners=corners) for n in names])
        face = Face(x=200.0, y=40.0, width=60.0, height=60.0)
        for publisher, message in ((markers, found), (faces, FaceArray(faces=[face]))):
            message.header.stamp.sec = next(stamps)
            publisher.publish(message)
        left, right, top, bottom, text = page.evaluate(DRAWN)
        assert text in ("", "cube_3, marker", "face", "cube_3, marker, face")
        return (
            text.endswith("marker, face")
            and 195 < left < 203
            and 516 < right < 525
            and 40 < top < 80
            and 237 < bottom < 245
        )

    wait_until(is_framed, "nothing is drawn")
    page.get_by_role("button", name="Show what is recognised").click()
    wait_until(lambda: not markers.get_subscription_count(), "it is still subscribed to")
    page.get_by_role("button", name="Show what is recognised").click()
    page.locator("cozmo-detections canvas").wait_for()


def test_manipulation_is_shown_while_its_node_is_there(
    page: Any, served: Served, tmp_path: Path
) -> None:
    from cozmo_interfaces.msg import ObjectState, ObjectStates

    home = page.get_by_role("button", name="Home to its charger")
    page.get_by_role("button", name="Drive there").wait_for()
    assert not home.is_visible()
    publisher = served.graph.publisher(ObjectStates, "object_states", LATCHED)
    publisher.publish(ObjectStates())
    with running_node("manipulation_node", served.graph.namespace, state_dir=str(tmp_path)):
        home.wait_for()

        def is_refused_in_words() -> bool:
            # The node may not have heard of the robot yet.
            home.click()
            page.get_by_role("button", name="Cancel").wait_for(state="hidden")
            return page.get_by_text("put the robot on it once").count() > 0

        wait_until(is_refused_in_words, "nothing is said")
        cube = ObjectState(name="cube_2", kind=ObjectState.CUBE, state=ObjectState.KNOWN)
        cube.pose.position.x = 2.5
        cube.size.x = cube.size.y = cube.size.z = 0.044
        publisher.publish(ObjectStates(objects=[cube]))
        page.get_by_role("combobox", name="Cube or charger").click()
        page.get_by_role("option", name="cube_2").click()
        cancel = page.get_by_role("button", name="Cancel")

        def is_on_its_way() -> bool:
            # The node may hear of the cube later than the page.
            if not cancel.is_visible():
                page.get_by_role("button", name="Go to it").click()
            return page.get_by_text("Go to it: driving, attempt 1").count() > 0

        wait_until(is_on_its_way, "it does not go there")
        cancel.click()
        page.get_by_text("It was given up.").wait_for()
        wait_for_standstill(served)
    # It says so itself: a node that only falls silent is missed after 20 s.
    home.wait_for(state="hidden", timeout=MS / 4)


_IS_SHOWN = """([x, y]) => {
    const { pose, cubes } = document.querySelector("cozmo-world").world;
    return [pose, ...Object.values(cubes)].some((one) => Math.hypot(one.x - x, one.y - y) < 0.005);
}"""


class Hands:
    """The mouse on the emulator's world from above."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self._canvas = page.locator("cozmo-world canvas")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def drag(self, start: Any, end: tuple[float, float]) -> None:
        """Drag what is at a place of the world, as soon as it is shown there, to another one, m."""
        place = [start.x, start.y]
        wait_until(lambda: self.page.evaluate(_IS_SHOWN, place), "it is not shown there")
        self._move(start.x, start.y)
        self.page.mouse.down()
        self._move(*end, steps=8)
        self.page.mouse.up()

    def _move(self, x: float, y: float, steps: int = 1) -> None:
        box = self._canvas.bounding_box()
        scale, center = self.page.evaluate(
            "(({ scale, center }) => [scale, center])(document.querySelector('cozmo-world').map)"
        )
        right, up = (x - center[0]) * scale, (y - center[1]) * scale
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(middle[0] + right, middle[1] - up, steps=steps)


@pytest.fixture
def room() -> Iterator[tuple[EmulatorServer, LoopThread]]:
    with controlled_room_in_thread() as running:
        yield running


@pytest.mark.covers("emulator_port")
def test_robot_and_cubes_are_lifted_pushed_placed_and_shaken_with_the_mouse(
    browser: Any, room: tuple[EmulatorServer, LoopThread]
) -> None:
    server, thread = room

    def of_emulator(what: Callable[[], Any]) -> Any:
        async def call() -> Any:
            return what()

        return thread.run(call(), TIMEOUT)

    def await_truth(condition: Callable[[Any], bool], what: str) -> Any:
        wait_until(lambda: condition(of_emulator(server.truth)), what)
        return of_emulator(server.truth)

    def is_at(pose: Any, x: float, y: float) -> bool:
        return math.dist((pose.x, pose.y), (x, y)) < 0.01

    parameters = {"cockpit_port": 0, "emulator_port": server.port, "robots": "hands"}
    with running_node("cockpit_node", "/hands", **parameters) as node:
        found = wait_until(lambda: ADDRESS.search(node.log), "it does not listen", 4 * TIMEOUT)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(1000 * TIMEOUT)
        page.goto(f"{found[1]}?tab=see")
        page.get_by_role("button", name="Emulator's world").click()
        hands = Hands(page)
        page.get_by_role("button", name="Cube 1").wait_for()
        assert serious_findings(page) == []
        start = of_emulator(server.truth).pose

        place = start.x + 0.2, start.y + 0.1
        hands.drag(start, place)
        carried = await_truth(lambda t: is_at(t.pose, *place), "not carried").pose
        assert carried.yaw == pytest.approx(start.yaw, abs=1e-3)

        hands.press("Push")
        place = carried.x - 0.15, carried.y
        hands.drag(carried, place)
        await_truth(lambda t: is_at(t.pose, *place), "not pushed")

        hands.press("Carry")
        cube = of_emulator(server.truth).cubes["2"]
        place = cube.x + 0.1, cube.y + 0.05
        hands.drag(cube, place)
        await_truth(lambda t: is_at(t.cubes["2"], *place), "the cube is not moved")

        hands.press("Robot")
        hands.press("Shake")
        wait_until(lambda: of_emulator(lambda: server.firmware.imu.is_shaken), "not shaken")
        hands.press("Lift")
        await_truth(lambda t: t.posture == "held", "not lifted")
        hands.press("Put down")
        await_truth(lambda t: t.posture == "flat", "not put down")
        page.close()

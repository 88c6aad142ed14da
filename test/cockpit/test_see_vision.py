"""What the vision node knows and the hands do, in the tab See."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..nodes.graph import LATCHED, running_node
from ..waiting import wait_until
from .conftest import Served
from .test_browser import open_page, wait_for_standstill

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


@pytest.fixture
def page(served: Served, browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 700, "height": 600})
    page = open_page(context, served)
    page.get_by_role("tab", name="See").click()
    page.locator("cozmo-scene canvas").wait_for()
    yield page
    context.close()
    assert page.complaints == []


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


def test_the_hands_are_shown_while_they_are_there(
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
        page.get_by_role("button", name="Go to it").click()
        page.get_by_text("Go to it: driving, attempt 1").wait_for()
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("It was given up.").wait_for()
        wait_for_standstill(served)
    home.wait_for(state="hidden")

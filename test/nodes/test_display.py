"""The face on the graph: what it is told on ``face/image`` and shows on ``display/image``."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import Image

from cozmo_driver.driver.display import DisplayPart
from cozmo_driver.ros.media_messages import picture_of, pixels_of

from ..waiting import wait_until
from .conftest import Bench, World
from .graph import LATCHED, Inbox


def image(pixels: np.ndarray, **fields: Any) -> Image:
    """Return a mono8 image of rows of pixels; the fields say otherwise."""
    height, width = pixels.shape
    parts = {
        "height": height,
        "width": width,
        "encoding": "mono8",
        "step": width,
        "data": array("B", pixels.tobytes()),
    }
    return Image(**{**parts, **fields})


def box(left: int, rows: int = 64) -> np.ndarray:
    """Return a picture with a lit box over its whole height."""
    pixels = np.zeros((rows, 128), np.uint8)
    pixels[:, left : left + 20] = 255
    return pixels


def is_box(picture: np.ndarray, left: int) -> bool:
    """Tell whether of every pair of rows one shows the box, and the other nothing."""
    lit = picture > 0
    shown = (lit[0::2] | lit[1::2]) == (box(left, 32) > 0)
    return bool(shown.all() and not (lit[0::2] & lit[1::2]).any())


def wait_for_box(world: World, left: int) -> None:
    wait_until(lambda: is_box(world.emulator.shown_picture(), left), "the face does not show it")


def last(inbox: Inbox[Image]) -> np.ndarray:
    return pixels_of(inbox.messages[-1])


@pytest.mark.covers("face/image", "display/image")
def test_what_is_told_is_shown_and_what_is_shown_is_told(world: World) -> None:
    left = 20
    shown = world.graph.listen(Image, "display/image", LATCHED)
    publisher = world.graph.publisher(Image, "face/image")
    publisher.publish(image(box(left)))
    message = shown.wait_for(lambda message: is_box(pixels_of(message), left))
    wait_for_box(world, left)
    assert (message.width, message.height, message.step) == (128, 64, 128)
    assert (message.encoding, message.header.frame_id) == ("mono8", "display_link")
    assert set(np.unique(message.data)) == {0, 255}
    wait_until(
        lambda: (last(shown) // 255 == world.emulator.shown_picture()).all(),
        "another picture is told than the one that is shown",
    )


@pytest.mark.covers("face/image")
def test_what_cannot_be_shown_is_rejected_with_the_reason_and_the_face_stays(world: World) -> None:
    publisher = world.graph.publisher(Image, "face/image")
    publisher.publish(image(box(70)))
    wait_for_box(world, 70)
    publisher.publish(image(np.zeros((240, 320), np.uint8)))
    world.driver.wait_for_log("face/image is rejected: it has 320x240 pixels; it must have 128x64")
    assert is_box(world.emulator.shown_picture(), 70)


# -- conversion


def test_rows_may_be_longer_than_the_picture_is_wide() -> None:
    wide = np.random.default_rng(2).integers(0, 256, (32, 160)).astype(np.uint8)
    message = image(wide, width=128, step=160)
    assert (picture_of(message) == wide[:, :128]).all()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"encoding": ""}, "its encoding is ''; it must be mono8"),
        ({"width": 64, "step": 64}, "64x64 pixels; it must have 128x64 or 128x32"),
        ({"height": 33}, "128x33 pixels"),
        ({"step": 127}, "its step is 127; a row of 128 pixels needs 128"),
        ({"height": 32}, "8192 bytes of data; 32 rows with a step of 128 are 4096"),
        ({"step": 4294967295}, "are 274877906880"),
    ],
)
def test_an_image_that_is_no_picture_of_the_face_is_refused(
    fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        picture_of(image(box(10), **fields))


def test_the_dark_face_is_there_before_a_robot_is(bench: Bench) -> None:
    part = DisplayPart(bench.context)
    shown = bench.graph.listen(Image, "display/image", LATCHED)
    message = shown.wait_for(lambda _: True)
    assert not pixels_of(message).any()
    del part

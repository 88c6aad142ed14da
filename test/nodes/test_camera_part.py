"""Pictures are decoded only for those who want them decoded."""

from __future__ import annotations

import numpy as np
import pytest
from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from cozmo_driver.driver import camera
from cozmo_driver.media.mini_jpeg import ImageArray, from_gray, to_jpeg
from cozmo_driver.robot import Image

from ..waiting import wait_until
from .conftest import Bench


@pytest.fixture
def decoded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the pictures that a camera part on the bench has decoded."""
    pictures: list[bytes] = []
    decode = camera.picture

    def watched(jpeg: bytes) -> ImageArray:
        pictures.append(jpeg)
        return decode(jpeg)

    monkeypatch.setattr(camera, "picture", watched)
    camera.CameraPart(bench.context, lambda stamp, is_color: CameraInfo())
    return pictures


def take_picture(bench: Bench, number: int, jpeg: bytes) -> None:
    bench.robot.camera.on_image.emit(Image(float(number), number, jpeg, False))


@pytest.fixture(scope="module")
def jpeg() -> bytes:
    pixels = np.tile(np.arange(320, dtype=np.uint16) // 2, (240, 1)).astype(np.uint8)
    return to_jpeg(from_gray(pixels))


@pytest.mark.covers("camera/image_raw", "camera/image_raw/compressed")
def test_pictures_are_decoded_only_while_somebody_takes_raw_ones(
    bench: Bench, decoded: list[bytes], jpeg: bytes
) -> None:
    compressed = bench.graph.listen(CompressedImage, "camera/image_raw/compressed")
    bench.publisher("camera/image_raw/compressed")
    take_picture(bench, 1, jpeg)
    assert bytes(compressed.wait_for(lambda _: True).data) == jpeg
    assert decoded == []

    raw = bench.graph.listen(ImageMessage, "camera/image_raw")
    publisher = bench.publisher("camera/image_raw")
    take_picture(bench, 2, jpeg)
    raw.wait_for(lambda _: True)
    assert decoded == [jpeg]

    bench.graph.clear()
    wait_until(lambda: publisher.get_subscription_count() == 0, "the subscriber stays")
    take_picture(bench, 3, jpeg)
    assert decoded == [jpeg]


@pytest.mark.covers("camera/image_raw")
@pytest.mark.usefixtures("decoded")
def test_a_damaged_picture_is_left_out_and_the_next_one_comes(bench: Bench, jpeg: bytes) -> None:
    raw = bench.graph.listen(ImageMessage, "camera/image_raw")
    bench.publisher("camera/image_raw")
    take_picture(bench, 1, b"\xff\xd8 no picture")
    take_picture(bench, 2, jpeg)
    message = raw.wait_for(lambda _: True)
    assert len(raw.messages) == 1
    assert (message.width, message.height) == (320, 240)

"""The camera on the graph: its calibration, colour and exposure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from PIL import Image as PictureFile
from sensor_msgs.msg import CameraInfo, CompressedImage
from sensor_msgs.msg import Image as ImageMessage
from sensor_msgs.srv import SetCameraInfo

from cozmo_driver.driver import camera
from cozmo_driver.driver.camera import CameraInfoPart
from cozmo_driver.emulator import Identity, running_emulator
from cozmo_driver.emulator.storage import calibration_record
from cozmo_driver.media.mini_jpeg import ImageArray, from_gray, to_jpeg
from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.robot import Image
from cozmo_driver.ros.camera_calibration import load, save, saved_path
from cozmo_driver.ros.media_messages import pixels_of
from cozmo_interfaces.msg import RobotInfo

from ..waiting import wait_until
from .conftest import Bench, World
from .graph import LATCHED, Graph, running_driver, running_graph

DEFAULT = Path(__file__).parents[2] / "config" / "camera_default.yaml"


def measured(distortion: tuple[float, ...] = (0.1, -0.2, 0.003, -0.004, 0.5)) -> CameraInfo:
    """A calibration unlike the default."""
    info = load(str(DEFAULT))
    info.k = [300.0, 0.0, 150.0, 0.0, 301.0, 119.0, 0.0, 0.0, 1.0]
    info.d = list(distortion)
    return info


def focal_length(info: CameraInfo) -> float:
    return float(info.k[0])


def camera_values(array: DiagnosticArray) -> dict[str, str]:
    """Return the values of the camera's entry in the diagnostics."""
    [status] = [status for status in array.status if status.name.endswith(": camera")]
    return {pair.key: pair.value for pair in status.values}


@pytest.fixture
def by_hand(world: World) -> Iterator[World]:
    """Return the world with gain and exposure set by hand, for the time of the test."""
    assert not world.graph.set(camera_auto_exposure=False)
    yield world
    assert not world.graph.set(camera_gain=2.0, camera_exposure=16, camera_auto_exposure=True)


@pytest.mark.covers("camera/camera_info", "robot_info")
def test_the_calibration_is_the_robots_own(world: World) -> None:
    infos = world.graph.listen(RobotInfo, "robot_info", LATCHED)
    infos.wait_for(lambda info: info.calibration_source == RobotInfo.CALIBRATION_ROBOT)
    info = world.graph.listen(CameraInfo, "camera/camera_info").wait_for(
        lambda info: focal_length(info) != 292.8
    )
    assert (info.width, info.height, info.distortion_model) == (320, 240, "plumb_bob")
    assert list(info.k) == pytest.approx([294.716, 0, 143.163, 0, 294.899, 117.454, 0, 0, 1])
    assert list(info.p) == pytest.approx(
        [294.716, 0, 143.163, 0, 0, 294.899, 117.454, *[0] * 3, 1, 0]
    )
    assert list(info.d) == [0.0] * 5
    world.driver.wait_for_log("camera calibration: the robot's own")


@pytest.mark.covers("camera_color", "camera/image_raw", "camera/image_raw/compressed")
def test_the_calibration_says_how_colour_pictures_are_binned(world: World) -> None:
    gray = world.graph.listen(CameraInfo, "camera/camera_info").wait_for(
        lambda info: focal_length(info) != 292.8
    )
    assert (gray.binning_x, gray.binning_y) == (1, 1)
    assert not world.graph.set(camera_color=True)
    try:
        infos = world.graph.listen(CameraInfo, "camera/camera_info")
        compressed = world.graph.listen(CompressedImage, "camera/image_raw/compressed")
        compressed.wait_for(lambda _: True)
        raw = world.graph.listen(ImageMessage, "camera/image_raw").wait_for(
            lambda image: image.encoding == "rgb8"
        )
        jpeg = compressed.wait_for(lambda image: image.header.stamp == raw.header.stamp)
        info = infos.wait_for(lambda info: info.header.stamp == raw.header.stamp)
    finally:
        assert not world.graph.set(camera_color=False)
    assert (info.width, info.height) == (gray.width, gray.height) == (320, 240)
    assert (list(info.k), list(info.p)) == (list(gray.k), list(gray.p))
    assert (info.binning_x, info.binning_y) == (2, 1)
    assert (raw.width * info.binning_x, raw.height * info.binning_y) == (info.width, info.height)
    assert raw.step == 3 * raw.width
    assert jpeg.format == "rgb8; jpeg compressed bgr8"
    pixels = pixels_of(raw)
    with PictureFile.open(BytesIO(bytes(jpeg.data))) as file:
        assert np.array_equal(pixels, np.asarray(file))
    red, green, blue = (pixels[..., channel].astype(float) for channel in range(3))
    assert np.abs(red - green).mean() > 5
    assert np.abs(green - blue).mean() > 5
    world.graph.clear()
    again = world.graph.listen(CompressedImage, "camera/image_raw/compressed")
    again.wait_for(lambda image: image.format.startswith("mono8"))


@pytest.mark.covers("camera_auto_exposure")
def test_the_exposure_follows_the_light_until_it_is_set_by_hand(world: World) -> None:
    mean = world.graph.listen(DiagnosticArray, "/diagnostics")
    world.emulator.call(lambda firmware: setattr(firmware.camera, "light", 0.4))
    try:
        world.emulator.wait_for(lambda state: state.exposure_ms > 24)
        values = camera_values(
            mean.wait_for_new(lambda array: int(camera_values(array)["exposure [ms]"]) > 24)
        )
        assert values["automatic exposure"] == "True"
        assert 0.0 < float(values["mean gray"]) < 255.0
        assert not world.graph.set(camera_auto_exposure=False)
        world.emulator.wait_for(lambda state: (state.gain, state.exposure_ms) == (2.0, 16))
        values = camera_values(
            mean.wait_for_new(lambda array: camera_values(array)["automatic exposure"] == "False")
        )
        assert math.isnan(float(values["mean gray"]))
    finally:
        world.emulator.call(lambda firmware: setattr(firmware.camera, "light", 1.0))
        assert not world.graph.set(camera_auto_exposure=True)


@pytest.mark.covers("camera_gain", "camera_exposure")
def test_more_than_the_robots_camera_can_do_is_said_and_the_most_is_used(by_hand: World) -> None:
    assert not by_hand.graph.set(camera_gain=4.0)
    by_hand.emulator.wait_for(lambda state: state.gain == pytest.approx(3.984375))
    by_hand.driver.wait_for_log("asked for 4 and 16 ms, the nearest is used")


# -- set_camera_info


def set_camera_info(graph: Graph, info: CameraInfo) -> Any:
    request = SetCameraInfo.Request(camera_info=info)
    return graph.call(SetCameraInfo, "camera/set_camera_info", request)


def source_is(graph: Graph, source: int) -> None:
    """Wait for the source of the calibration in the robot's identity."""
    infos = graph.listen(RobotInfo, "robot_info", LATCHED)
    infos.wait_for(lambda info: info.calibration_source == source)


@pytest.mark.covers("camera/set_camera_info", "camera_info_url")
def test_a_calibration_that_was_set_is_found_again_and_a_file_named_wins(tmp_path: Path) -> None:
    serial = 0x00C0FFEE
    calibration = measured()
    with running_emulator(calibration_time=0.0, identity=Identity(head_serial=serial)) as emulator:
        impossible = calibration_record(fx=5000.0)
        emulator.call(
            lambda firmware: firmware.storage.factory.update({NVEntryTag.CAMERA_CALIB: impossible})
        )
        with running_graph() as graph, running_driver(emulator.port, graph.namespace) as driver:
            # The robot's own is of no use: typical values, until a better one is set.
            source_is(graph, RobotInfo.CALIBRATION_DEFAULT)
            driver.wait_for_log("the robot's own camera calibration is not used")
            infos = graph.listen(CameraInfo, "camera/camera_info")
            infos.wait_for(lambda info: focal_length(info) == 292.8)
            response = set_camera_info(graph, calibration)
            assert response.success
            assert response.status_message == f"saved to {saved_path(serial)}"
            infos.wait_for(lambda info: list(info.d) == list(calibration.d))
            source_is(graph, RobotInfo.CALIBRATION_FILE)
        with running_graph() as graph, running_driver(emulator.port, graph.namespace) as driver:
            source_is(graph, RobotInfo.CALIBRATION_FILE)
            info = graph.listen(CameraInfo, "camera/camera_info").wait_for(
                lambda info: focal_length(info) != 292.8
            )
            assert (list(info.k), list(info.d)) == (list(calibration.k), list(calibration.d))
            assert f"camera calibration: from {saved_path(serial)}" in driver.log
        file = tmp_path / "mine.yaml"
        save(file, measured((0.0,) * 5))
        with (
            running_graph() as graph,
            running_driver(emulator.port, graph.namespace, camera_info_url=file),
        ):
            source_is(graph, RobotInfo.CALIBRATION_FILE)
            infos = graph.listen(CameraInfo, "camera/camera_info")
            info = infos.wait_for(lambda info: focal_length(info) == 300.0)
            assert list(info.d) == [0.0] * 5
            assert set_camera_info(graph, calibration).status_message == f"saved to {file}"
            assert load(str(file)) == measured()


@pytest.mark.covers("camera/set_camera_info")
def test_nothing_is_saved_of_no_use_or_for_a_robot_that_never_came(bench: Bench) -> None:
    part = CameraInfoPart(bench.context)
    for info, reason in (
        (CameraInfo(width=640, height=480), "it is for 640 x 480 pixels"),
        (measured(), "no robot has been connected yet"),
    ):
        response = set_camera_info(bench.graph, info)
        assert not response.success
        assert reason in response.status_message
    assert part.source == RobotInfo.CALIBRATION_NONE
    assert not saved_path(Identity().head_serial).exists()


@pytest.mark.covers("camera/set_camera_info")
def test_a_folder_that_cannot_be_written_is_named(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocker = tmp_path / "a file"
    blocker.touch()
    monkeypatch.setenv("ROS_HOME", str(blocker))
    CameraInfoPart(bench.context)
    identity = replace(bench.robot.identity, head_serial=7)
    bench.robot.on_identity.emit(identity)
    response = set_camera_info(bench.graph, measured())
    assert not response.success
    assert f"{saved_path(7)} cannot be written: Not a directory" in response.status_message


# -- pictures are decoded only for those who want them decoded


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

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import Header

from cozmo_driver.robot import CalibrationSource, CameraCalibration
from cozmo_driver.robot.camera.calibration import DEFAULT_CALIBRATION
from cozmo_driver.ros.camera_calibration import (
    CalibrationError,
    load,
    save,
    saved_path,
)
from cozmo_driver.ros.media_messages import camera_info, checked_camera_info

DEFAULT = Path(__file__).parents[2] / "config" / "camera_default.yaml"


def changed(**changes: Any) -> CameraInfo:
    """The default, changed."""
    info = load(str(DEFAULT))
    for name, value in changes.items():
        setattr(info, name, value)
    return info


def test_the_default_is_that_of_a_typical_camera() -> None:
    assert load(str(DEFAULT)) == camera_info(DEFAULT_CALIBRATION)


def test_files_are_named_by_path_or_url() -> None:
    assert load("package://cozmo_driver/config/camera_default.yaml") == load(str(DEFAULT))


@pytest.mark.parametrize("url", ["https://example.org/a.yaml", "/nowhere/a.yaml"])
def test_what_cannot_be_found_is_said(url: str) -> None:
    with pytest.raises(CalibrationError, match=url):
        load(url)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("image_width: 320", "image_width: 640", "640 x 240 pixels, not 320 x 240"),
        ("camera_matrix:", "other:", "'camera_matrix' is missing"),
        ("image_height: 240", "image_height: tall", "invalid literal"),
        ("0.0, 292.8, 113.6,\n         0.0, 0.0, 1.0]\ndist", "0.0]\ndist", "needs 9 numbers"),
        ("camera_name: cozmo", "camera_name: [", "is not YAML"),
        ("image_height: 240", "image_height: []", "must be a string"),
    ],
)
def test_a_damaged_file_is_refused_with_its_fault(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    text = DEFAULT.read_text()
    assert old in text
    file = tmp_path / "camera.yaml"
    file.write_text(text.replace(old, new))
    with pytest.raises(CalibrationError, match=reason):
        load(str(file))


def test_a_saved_calibration_is_read_again_as_it_was(tmp_path: Path) -> None:
    calibration = changed(d=[0.1, -0.2, 1e-4, -3e-17, 0.5])
    file = tmp_path / "new folder" / "cozmo_01020304.yaml"
    save(file, calibration)
    assert load(str(file)) == calibration


def test_saved_files_lie_where_the_ros_tools_keep_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_HOME", "/srv/ros")
    assert saved_path(0x1A2B) == Path("/srv/ros/camera_info/cozmo_00001a2b.yaml")
    monkeypatch.delenv("ROS_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert saved_path(1) == Path("/home/somebody/.ros/camera_info/cozmo_00000001.yaml")


def test_of_a_message_only_the_calibration_is_taken() -> None:
    assert checked_camera_info(changed(binning_x=2, header=Header(frame_id="x"))) == changed()
    fisheye = changed(distortion_model="equidistant", d=[0.1, 0.2, 0.3, 0.4])
    assert checked_camera_info(fisheye) == fisheye


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"width": 160, "height": 240}, "160 x 240 pixels, not 320 x 240: calibrate with gray"),
        ({"d": [0.0] * 4}, "plumb_bob has 5 coefficients, not 4"),
        ({"d": [0.0, 0.0, math.nan, 0.0, 0.0]}, "not a number"),
        ({"p": np.zeros(12)}, "focal lengths in p must be positive"),
    ],
)
def test_a_calibration_of_no_use_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        checked_camera_info(changed(**changes))


def test_the_robots_own_calibration_has_its_centre_and_focal_lengths() -> None:
    own = CameraCalibration(
        294.7, 294.9, 143.2, 117.5, (0.1, 0.2, 0.3, 0.4, 0.5), 320, 240, CalibrationSource.ROBOT
    )
    info = camera_info(own)
    assert [*info.k] == [294.7, 0.0, 143.2, 0.0, 294.9, 117.5, 0.0, 0.0, 1.0]
    assert [*info.p] == [
        *(294.7, 0.0, 143.2, 0.0),
        *(0.0, 294.9, 117.5, 0.0),
        *(0.0, 0.0, 1.0, 0.0),
    ]
    assert [*info.r] == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    assert (info.distortion_model, [*info.d]) == ("plumb_bob", [*own.distortion])

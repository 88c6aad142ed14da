from __future__ import annotations

from pathlib import Path

import pytest

from cozmo_driver.nodes.camera_calibration import CalibrationError, load, path_of

DEFAULT = Path(__file__).parents[2] / "config" / "camera_default.yaml"


def test_the_default_is_that_of_a_typical_camera() -> None:
    calibration = load(str(DEFAULT))
    assert (calibration.width, calibration.height) == (320, 240)
    assert calibration.camera_matrix == (292.0, 0.0, 160.0, 0.0, 292.0, 120.0, 0.0, 0.0, 1.0)
    assert calibration.projection_matrix[:3] == (292.0, 0.0, 160.0)
    assert calibration.distortion == (0.0,) * 5
    assert calibration.distortion_model == "plumb_bob"


def test_files_are_named_by_path_or_url() -> None:
    assert path_of("/a/b.yaml") == path_of("file:///a/b.yaml") == Path("/a/b.yaml")
    assert path_of("file:///a%20b.yaml") == Path("/a b.yaml")
    assert load("package://cozmo_driver/config/camera_default.yaml") == load(str(DEFAULT))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("package://no_such_package/a.yaml", "there is no package 'no_such_package'"),
        ("https://example.org/a.yaml", "only file:// and package://"),
        ("/nowhere/a.yaml", "cannot read the camera calibration /nowhere/a.yaml"),
    ],
)
def test_what_cannot_be_found_is_said(url: str, reason: str) -> None:
    with pytest.raises(CalibrationError, match=reason):
        load(url)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("image_width: 320", "image_width: 640", "640 x 240 pixels, the pictures have 320 x 240"),
        ("camera_matrix:", "other:", "'camera_matrix' is missing"),
        ("image_height: 240", "image_height: tall", "invalid literal"),
        ("0.0, 292.0, 120.0,\n         0.0, 0.0, 1.0]\ndist", "0.0]\ndist", "needs 9 numbers"),
        ("camera_name: cozmo", "camera_name: [", "is not YAML"),
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


@pytest.mark.parametrize("text", ["", "[]", "just words", "image_width: 320\nimage_height: []"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "camera.yaml"
    file.write_text(text)
    with pytest.raises(CalibrationError):
        load(str(file))

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
import pytest

from benchmarks.vision.scenes import cube_facing
from cozmo_driver.perception.detection.camera import CalibrationError, Camera, camera_of
from cozmo_driver.perception.detection.markers import MarkerDetector
from cozmo_driver.perception.detection.poses import marker_poses, resolve_ambiguity
from cozmo_driver.plain_yaml import load_yaml
from cozmo_driver.robot import camera_pose

from .pictures import CAMERA, seen

BENT = Camera(290.0, 289.8, 163.7, 114.7, (0.021, -0.0176, 0.0003, 0.004, 0.0))
CONTENT = {
    "image_width": 320,
    "image_height": 240,
    "camera_matrix": {"data": [292.0, 0, 160.0, 0, 292.0, 120.0, 0, 0, 1]},
    "distortion_model": "plumb_bob",
    "distortion_coefficients": {"data": [0.0] * 5},
}


@pytest.mark.parametrize("camera", [Camera(), BENT, CAMERA.scaled_to(640, 480)])
def test_lines_of_sight_lead_back_to_their_pixels(camera: Camera) -> None:
    pixels = np.array([[3.0, 5.0], [160.0, 120.0], [300.0, 230.0]])
    points = np.column_stack((camera.directions(pixels), np.ones(3))) * 0.3
    seen, _ = cv2.projectPoints(
        points, np.zeros(3), np.zeros(3), camera.matrix, np.array(camera.distortion)
    )
    assert seen[:, 0] == pytest.approx(pixels, abs=1e-3)


def test_a_picture_of_twice_the_size_shows_the_same_directions() -> None:
    pixels = np.array([[10.0, 200.0], [159.5, 119.5]])
    twice = CAMERA.scaled_to(640, 480)
    assert twice.directions(pixels * 2 + 0.5) == pytest.approx(CAMERA.directions(pixels))


@pytest.mark.parametrize(
    ("head", "place", "down"),
    [
        (0.0, (0.0045, 0.041), 4.0),
        (0.7767, (0.0051, 0.0556), -40.5),
        (-0.4363, (-0.0005, 0.0344), 29),
    ],
)
def test_the_camera_is_where_the_specification_has_it(head: float, place: Any, down: float) -> None:
    pose = camera_pose(head)
    assert pose[[0, 2], 3] == pytest.approx(place, abs=2e-4)
    assert math.degrees(math.asin(-pose[2, 2])) == pytest.approx(down, abs=0.1)


def test_the_ground_is_seen_where_the_specification_has_it() -> None:
    pose = camera_pose(-0.436)
    (near, far) = Camera().project_to_ground([[160.0, 239.0], [160.0, 0.0]], pose)
    assert near[0] == pytest.approx(0.027, abs=0.01)
    assert far[0] == pytest.approx(0.26, abs=0.05)
    assert np.isnan(Camera().project_to_ground([[160.0, 10.0]], camera_pose(0.0))).all()


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (None, "it holds no keys"),
        ({"image_width": None}, "int()"),
        ({"camera_matrix": {"data": [1.0] * 8}}, "needs 9 numbers, not 8"),
        ({"camera_matrix": {"data": [3.0, 0, 160, 0, 3.0, 120, 0, 0, 1]}}, "focal lengths of 3"),
        ({"camera_matrix": {"data": [292, 0, 500, 0, 292, 120, 0, 0, 1]}}, "outside the picture"),
        ({"camera_matrix": {"data": [math.nan] * 9}}, "not finite"),
        ({"camera_matrix": {}}, "'data' is missing"),
        ({"distortion_coefficients": {"data": [0.0] * 3}}, "3 coefficients"),
        ({"distortion_coefficients": {"data": [99.0] * 5}}, "distortion is impossible"),
        ({"distortion_model": "fisheye"}, "use plumb_bob"),
    ],
)
def test_a_wrong_calibration_is_refused_with_the_reason(wrong: Any, reason: str) -> None:
    with pytest.raises(CalibrationError) as error:
        camera_of(wrong and {**CONTENT, **wrong})
    assert reason in str(error.value)


def test_the_default_calibration_is_the_default_file() -> None:
    with open("config/camera_default.yaml", encoding="utf-8") as file:
        assert camera_of(load_yaml(file.read())) == Camera()


@pytest.mark.parametrize(("distance", "turn"), [(0.1, 0), (0.15, 30), (0.2, -45), (0.25, 20)])
def test_a_marker_is_where_it_is_within_one_percent(distance: float, turn: int) -> None:
    scene = seen(cube_facing(1, "front", distance, math.radians(turn)))
    (truth,) = [t for t in scene.truths if t.side == "front"]
    marker = MarkerDetector().detect(scene.picture)[0]
    pose = resolve_ambiguity(
        marker_poses(marker.own_corners, marker.size, CAMERA), (0.0, -1.0, 0.0)
    )
    assert pose.distance == pytest.approx(truth.distance, rel=0.01)
    assert pose.matrix[:2, 3] == pytest.approx(truth.center[:2], abs=1e-3)
    into = pose.matrix[:3, 1]
    assert math.degrees(math.acos(min(-into @ truth.normal, 1.0))) < 3.0
    # The marker's z is up in the image.
    assert pose.matrix[:3, 2] == pytest.approx((0.0, -1.0, 0.0), abs=0.05)


def test_both_poses_of_a_small_marker_are_given_and_the_upright_one_is_believed() -> None:
    square = np.array([[150.0, 110.0], [170.0, 110.0], [170.0, 130.0], [150.0, 130.0]])
    nudge = np.array([[0.0, 0.3], [0.0, 0.0], [0.0, 0.0], [0.0, -0.3]])
    poses = marker_poses(square + nudge, (0.025, 0.025), CAMERA)
    assert len(poses) == 2
    assert poses[0].error <= poses[1].error
    assert [resolve_ambiguity(poses, pose.matrix[:3, 2]) for pose in poses] == poses


def test_corners_that_are_no_square_have_no_pose() -> None:
    assert marker_poses(np.zeros((4, 2)), (0.025, 0.025), CAMERA) == []

"""Localization in the vision node: the pose on the map is true, or said not to be known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import rclpy.time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from tf2_msgs.msg import TFMessage
from tf2_ros import BufferCore
from visualization_msgs.msg import MarkerArray

from cozmo_driver.emulator.world import find_world, load_layout
from cozmo_driver.localization import CHARGER, MAPS, load_map
from cozmo_driver.perception import pose, ros_objects
from cozmo_driver.perception.ros_localization import first_map
from cozmo_driver.robot import data_directory
from cozmo_driver.ros.context import to_time
from cozmo_driver.ros.errors import StartError
from cozmo_driver.ros.geometry import yaw_of
from cozmo_interfaces.action import LearnMap
from cozmo_interfaces.msg import LocalizationState, Reason

from .goals import Action
from .graph import LATCHED, seconds
from .landmarks import BETWEEN_TAGS, MAP, Scene, is_near, off, pose_message, running_scene


@pytest.fixture(scope="module")
def whole_scene() -> Iterator[Scene]:
    with running_scene() as scene:
        yield scene


@pytest.fixture
def scene(whole_scene: Scene) -> Iterator[Scene]:
    whole_scene.tell()
    yield whole_scene
    whole_scene.graph.clear()


def standing_pose(scene: Scene) -> PoseWithCovarianceStamped:
    """Return a pose of now, of a robot that has stood for the time of a few images."""
    return scene.poses().collect(5)[-1]


@pytest.mark.covers("pose", "localize", "localization", "tag_map", "map_frame")
def test_the_pose_on_the_map_stays_that_of_the_robot_while_it_drives(scene: Scene) -> None:
    states = scene.states()
    for turn, distance in ((1.2, 0.15), (2.7, 0.2)):
        scene.turn(turn)
        scene.drive(distance)
        message = standing_pose(scene)
        assert message.header.frame_id == "house"
        assert is_near(message, scene.truth()), off(message, scene.truth())
        covariance = np.array(message.pose.covariance).reshape(6, 6)
        assert np.allclose(covariance, covariance.T)
        assert (np.linalg.eigvalsh(covariance) > -1e-12).all()
        assert 0.0 < covariance[0, 0] < 0.05**2
    assert states.messages[-1].status in (
        LocalizationState.TRACKING,
        LocalizationState.DEAD_RECKONING,
    )


@pytest.mark.covers("tf")
def test_odom_moves_on_the_map_without_jumps_while_the_robot_drives(scene: Scene) -> None:
    transforms = scene.graph.listen(TFMessage, "/tf")

    def on_the_map(message: TFMessage) -> list[TransformStamped]:
        return [
            one
            for one in message.transforms
            if one.header.frame_id == "house" and one.child_frame_id == "one/odom"
        ]

    scene.turn(0.8)
    scene.drive(0.2)
    scene.turn(-0.8)
    now = seconds(standing_pose(scene).header.stamp)
    transforms.wait_for(
        lambda message: any(seconds(one.header.stamp) >= now for one in on_the_map(message))
    )
    found = [one for message in list(transforms.messages) for one in on_the_map(message)]
    stamps = [seconds(one.header.stamp) for one in found]
    assert len(found) > 20
    assert stamps == sorted(set(stamps))
    here = scene.truth()
    moves = []
    for one in found:
        moved, yaw = one.transform.translation, yaw_of(one.transform.rotation)
        # A turn of odom about its origin moves a robot by what it is away from there.
        cos, sin = math.cos(yaw), math.sin(yaw)
        x, y = moved.x + cos * here.x - sin * here.y, moved.y + sin * here.x + cos * here.y
        moves.append((x, y))
    steps = [math.dist(a, b) for a, b in pairwise(moves)]
    assert max(steps) < 0.01


def test_no_way_leads_from_where_the_pose_was_lost_to_where_it_was_found(monkeypatch) -> None:
    buffer = BufferCore()

    class Broadcaster:
        def __init__(self, _: object) -> None:
            self.pub_tf = SimpleNamespace(get_subscription_count=lambda: 1)

        def sendTransform(self, transforms: list[TransformStamped]) -> None:
            for one in transforms:
                buffer.set_transform(one, "test")

    monkeypatch.setattr(ros_objects, "TransformBroadcaster", Broadcaster)
    places = {10.00: 1.0, 10.03: 1.0, 10.06: None, 10.5: 3.0, 10.53: 3.0}
    parameters = {"frame_prefix": "", "publish_tf": True, "map_frame": "map"}
    stamp = 0.0

    def map_from_odom() -> np.ndarray | None:
        x = places[stamp]
        return None if x is None else pose(x, 0.0, 0.0, 0.0)

    context = SimpleNamespace(node=None, parameters=parameters)
    frames = ros_objects.Frames(context, map_from_odom)
    for stamp in places:
        frames.publish([], to_time(round(stamp * 1e9)), "odom")
    for stamp, x in places.items():
        if x is not None:
            at = rclpy.time.Time(nanoseconds=round(stamp * 1e9))
            found = buffer.lookup_transform_core("map", "odom", at)
            assert found.transform.translation.x == pytest.approx(x)


@pytest.mark.covers("localization_state", "/diagnostics")
def test_a_robot_that_was_carried_knows_that_it_does_not_know_and_finds_itself(
    scene: Scene,
) -> None:
    states = scene.states()
    states.collect(1)
    states.clear()
    scene.carry(600.0, -350.0, 2.5)
    lost = states.wait_for(lambda m: m.status == LocalizationState.UNKNOWN)
    assert math.isinf(lost.position_deviation)
    told = scene.graph.listen(DiagnosticArray, "/diagnostics")
    health = told.wait_for_new(lambda m: _health(m) is not None)
    assert "not known" in _health(health).message
    done, result = scene.localize()
    assert done == "succeeded", result.message
    assert is_near(result.pose, scene.truth()), off(result.pose, scene.truth())


def _health(message: DiagnosticArray) -> Any:
    found = [one for one in message.status if one.name.endswith("cozmo_vision: localization")]
    return found[0] if found else None


@pytest.mark.covers("initialpose")
def test_who_points_at_the_map_is_believed_if_that_makes_sense(scene: Scene) -> None:
    publisher = scene.graph.publisher(PoseWithCovarianceStamped, "initialpose")
    message = pose_message(scene.truth(), "elsewhere", 0.2)
    publisher.publish(message)
    scene.node.wait_for_log("it is in the frame 'elsewhere', not in house")
    message.header.frame_id = "house"
    message.pose.covariance[0] = math.nan
    publisher.publish(message)
    scene.node.wait_for_log("the covariance is no finite 3x3 matrix")
    # From here on it is believed to be where it is not, and its tags contradict.
    message.pose.covariance[0] = 0.04
    message.pose.pose.position.x += 0.1
    publisher.publish(message)
    scene.node.wait_for_log(f"said to be at {message.pose.pose.position.x:.2f}")
    done, result = scene.localize()
    assert done == "succeeded", result.message
    assert is_near(result.pose, scene.truth()), off(result.pose, scene.truth())


@pytest.mark.covers("learn_map")
def test_a_map_that_was_not_learnt_to_its_end_leaves_the_one_before(scene: Scene) -> None:
    states = scene.states()
    scene.carry(*BETWEEN_TAGS)
    learning = Action(scene.graph, LearnMap, "learn_map").send(name="half")
    states.wait_for_new(lambda m: 0 < m.landmarks < 12)
    learning.cancel()
    assert learning.wait()[0] == "canceled"
    states.wait_for_latest(lambda m: (m.landmarks, m.map) == (13, str(MAP)))
    refused = Action(scene.graph, LearnMap, "learn_map")
    for goal in ({"name": "../half"}, {"origin": "4x4_50:9999"}, {"step": math.inf}, {"spots": 99}):
        done, result = refused.do(**goal)
        assert (done, result.reason) == ("aborted", Reason.INVALID)
    maps = data_directory() / MAPS
    kept = maps.rename(maps.with_name("kept"))
    maps.write_text("no folder")
    done, result = refused.do(name="room")
    assert (done, result.reason) == ("aborted", Reason.NOT_ALLOWED)
    assert "room.yaml cannot be written: Not a directory" in result.message
    maps.unlink()
    kept.rename(maps)


@pytest.mark.covers("landmark_markers")
def test_the_tags_are_drawn_where_they_hang(scene: Scene) -> None:
    drawn = scene.graph.listen(MarkerArray, "landmark_markers", LATCHED)
    message = drawn.wait_for(lambda m: len(m.markers) > 12)
    known = load_map(MAP)
    tags = {one.ns: one for one in message.markers if one.id == 1 and one.ns}
    assert {*tags, CHARGER} == known.tags.keys()
    for name, one in tags.items():
        assert one.header.frame_id == "house"
        place = one.pose.position
        assert math.dist((place.x, place.y, place.z), known.tags[name].pose[:3, 3]) < 0.02


def test_the_map_of_the_world_with_tags_says_where_they_hang() -> None:
    known = load_map(MAP)
    sides = [
        (solid.shape, one.side)
        for solid in load_layout(find_world("landmarks")).solids
        for one in solid.prints
    ]
    *tags, charger = known.tags.values()
    assert len(sides) == len(tags) == 12
    layout = load_layout(find_world("landmarks"))
    assert layout.charger is not None
    assert charger.pose[:2, 3] * 1000 == pytest.approx((layout.charger.x, layout.charger.y))
    for (box, side), tag in zip(sides, tags, strict=True):
        # The second axis of a tag leads into its box.
        inwards = np.array([box.x, box.y]) / 1000 - tag.pose[:2, 3]
        depth = float(np.linalg.norm(inwards))
        assert np.allclose(inwards, depth * tag.pose[:2, 1], atol=1e-3), tag.name
        assert depth == pytest.approx(0.005 if side == "front" and depth < 0.01 else 0.06, abs=1e-3)


@pytest.mark.covers("map_new_tags", "tag_family", "tag_size")
def test_a_map_that_cannot_be_used_is_refused_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "tags.yaml"
    file.write_text("format: something\n")
    with pytest.raises(StartError, match=r"tags\.yaml: it is no map of tags"):
        first_map(str(file))
    with pytest.raises(StartError, match=r"cannot be read .*make one with cozmo map"):
        first_map(str(tmp_path / "missing.yaml"))
    # Of the user's own one nothing was said: there may be none yet.
    assert first_map("").tags == {}

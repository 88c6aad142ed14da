"""Who uses localization: goals on the map, a robot that waits to be localized, giving way."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CompressedImage

from cozmo_driver.robot import Pose2D as Place
from cozmo_driver.ros.geometry import plane_pose, stamped_pose_message
from cozmo_interfaces.action import GoToPose, Localize
from cozmo_interfaces.msg import LocalizationState, Reason, RobotStatus

from ..waiting import TIMEOUT, wait_until
from .goals import Action
from .graph import twist
from .landmarks import Scene, running_scene

ARRIVED, FACING = 0.03, 0.15
"""m and rad from the truth: the tolerances, and a standard deviation within them."""


@pytest.fixture(scope="module")
def whole_scene() -> Iterator[Scene]:
    with running_scene(seed=5) as scene:
        yield scene


@pytest.fixture
def scene(whole_scene: Scene) -> Iterator[Scene]:
    yield whole_scene
    whole_scene.light(1.0)
    assert not whole_scene.graph.set(after_pickup="continue")
    whole_scene.graph.clear()


def goal(x: float, y: float, yaw: float, frame: str = "house") -> PoseStamped:
    return stamped_pose_message(Place(x, y, yaw), Time(), frame)


def away(scene: Scene, there: PoseStamped) -> tuple[float, float]:
    """How far the robot really is from a place on the map, m and rad."""
    truth, place = scene.truth(), plane_pose(there.pose)
    turn = math.remainder(truth.yaw - place.yaw, 2 * math.pi)
    return math.dist((truth.x, truth.y), (place.x, place.y)), abs(turn)


@pytest.mark.covers("go_to_pose", "after_pickup", "localization_state")
def test_a_robot_that_was_carried_looks_where_it_is_before_it_drives_to_a_place_on_the_map(
    scene: Scene,
) -> None:
    assert not scene.graph.set(after_pickup="hold_until_localized")
    going = Action(scene.graph, GoToPose, "go_to_pose")
    statuses = scene.graph.listen(RobotStatus, "status")
    scene.tell()
    scene.carry(500.0, -400.0, 2.0)
    statuses.wait_for_latest(lambda m: m.is_held_after_pickup)
    done, result = going.do(pose=goal(0.1, 0.0, 0.0, "one/base_footprint"))
    assert (done, result.reason) == ("aborted", Reason.PICKED_UP)
    there = goal(0.0, -0.3, math.pi / 2)
    done, result = going.send(pose=there).wait(3 * TIMEOUT)
    assert done == "succeeded", result.message
    distance, turn = away(scene, there)
    assert distance < ARRIVED
    assert turn < FACING + 0.1745
    statuses.wait_for_latest(lambda m: not m.is_held_after_pickup)


@pytest.mark.covers("localize")
def test_looking_around_gives_way_to_who_drives(scene: Scene) -> None:
    states = scene.states()
    # In the dark it looks for tags until it is interrupted.
    scene.light(0.0)
    scene.carry(0.0, 0.0, 1.0)
    states.wait_for_latest(lambda m: m.status == LocalizationState.UNKNOWN)
    statuses = scene.graph.listen(RobotStatus, "status")
    for kind, name, fields in (
        (Localize, "localize", {}),
        (GoToPose, "go_to_pose", {"pose": goal(0.0, 0.0, 0.0)}),
    ):
        looking = Action(scene.graph, kind, name).send(**fields)
        statuses.wait_for_new(lambda m: m.wheels_owner == RobotStatus.OWNER_ACTION)
        publisher = scene.graph.publisher(Twist, "cmd_vel")

        def is_over(looking=looking, publisher=publisher) -> bool:
            publisher.publish(twist(0.0, 0.2))
            return looking.is_over

        wait_until(is_over, f"{name} goes on beside cmd_vel")
        publisher.publish(Twist())
        done, result = looking.wait()
        assert (done, result.reason) == ("aborted", Reason.SUPERSEDED), result.message


@pytest.mark.covers("detected_dock_pose", "odom")
def test_nav2_is_told_where_a_docked_robot_would_be(scene: Scene) -> None:
    scene.carry(-930.0, 230.0, math.pi)
    docks = scene.graph.listen(PoseStamped, "detected_dock_pose")
    images = scene.graph.listen(CompressedImage, "camera/image_raw/compressed")
    # The first ones, by few images, err more.
    seen = docks.collect(10)[-1]
    assert seen.header.frame_id == "one/odom"
    images.wait_for(lambda image: image.header.stamp == seen.header.stamp)
    here = plane_pose(scene.graph.listen(Odometry, "odom").collect(1)[0].pose.pose)
    found = scene.truth().compose(here.inverse()).compose(plane_pose(seen.pose))
    # Of a robot on the contacts, 50 mm behind the lip; the yaw leads inwards.
    assert math.dist((found.x, found.y), (-1.25, 0.20)) < 0.02
    assert abs(math.remainder(found.yaw - math.pi, 2 * math.pi)) < 0.2


@pytest.mark.covers("go_to_pose", "localization_state")
def test_a_place_on_the_map_is_refused_once_nothing_localizes_any_more() -> None:
    with running_scene() as scene:
        going = Action(scene.graph, GoToPose, "go_to_pose")

        def is_map_known() -> bool:
            return bool(going.do(pose=goal(0.3, 0.0, 0.0))[1].reason != Reason.NO_TRANSFORM)

        wait_until(is_map_known, "the driver knows no map")
        assert scene.node.stop() == 0
        ended: list[GoToPose.Result] = []

        def is_refused() -> bool:
            ended.append(going.do(pose=goal(0.3, 0.0, 0.0))[1])
            return bool(ended[-1].reason == Reason.UNSUPPORTED)

        # For the 3 s after the last state the node may only be slow.
        wait_until(is_refused, "the goal is not refused")
        assert "nothing localizes" in ended[-1].message

"""What the robot does and what happens to it, as the graph tells it."""

from __future__ import annotations

import contextlib
import math
from itertools import pairwise

import pytest
from geometry_msgs.msg import Pose
from nav_msgs.msg import Odometry

from cozmo_driver.emulator import Posture
from cozmo_driver.emulator.body import Pose2D as EmulatorPose
from cozmo_driver.protocol.messages import AbsoluteLocalizationUpdate
from cozmo_driver.robot import DRIVE_CENTER, Pose2D
from cozmo_interfaces.msg import RobotEvent, RobotStatus

from .conftest import World
from .graph import Inbox, seconds


def events_of(world: World) -> Inbox[RobotEvent]:
    """Return the events from now on; the robot is poked until that is heard."""
    inbox = world.graph.listen(RobotEvent, "events")
    for _ in range(100):
        world.emulator.call(lambda firmware: firmware.handling.poke())
        with contextlib.suppress(AssertionError):
            inbox.wait_for(lambda event: event.type == RobotEvent.POKED, timeout=0.3)
            return inbox
    raise AssertionError("no poke was felt")


def status_of(world: World) -> Inbox[RobotStatus]:
    """Return the status from now on, beginning with a first message."""
    inbox = world.graph.listen(RobotStatus, "status")
    inbox.wait_for(lambda _: True)
    return inbox


def wait_for(events: Inbox[RobotEvent], kind: int) -> RobotEvent:
    return events.wait_for(lambda event: event.type == kind)


@pytest.mark.covers("events")
def test_an_event_tells_when_it_happened_and_nothing_that_is_not_its_own(world: World) -> None:
    events = events_of(world)
    world.emulator.call(lambda firmware: firmware.handling.press_button())
    pressed = wait_for(events, RobotEvent.BUTTON_PRESSED)
    released = wait_for(events, RobotEvent.BUTTON_RELEASED)
    for event in (pressed, released):
        assert event.header.frame_id == "base_footprint"
        assert event.description.startswith("the button on the back was ")
        assert event.off_treads_state == RobotStatus.ON_TREADS
        assert event.motor == RobotEvent.NO_MOTOR
        assert math.isnan(event.duration)
        assert math.isnan(event.impact_raw)
        age = world.graph.now() * 1e-9 - seconds(event.header.stamp)
        assert 0.0 <= age < 60.0
    assert seconds(released.header.stamp) > seconds(pressed.header.stamp)


def plane_pose(pose: Pose) -> Pose2D:
    """Return x, y and yaw of a pose."""
    return Pose2D(
        pose.position.x,
        pose.position.y,
        2 * math.atan2(pose.orientation.z, pose.orientation.w),
    )


def step(a: Odometry, b: Odometry) -> Pose2D:
    return plane_pose(a.pose.pose).inverse().compose(plane_pose(b.pose.pose))


@pytest.mark.covers("odom", "status")
def test_odom_goes_on_when_the_robot_is_carried_away_and_counts_anew(world: World) -> None:
    events, status = events_of(world), status_of(world)
    odometry = world.graph.listen(Odometry, "odom")
    first, known = odometry.collect(1)[0], status.messages[-1]

    world.emulator.call(lambda f: f.handling.put(Posture.HELD, EmulatorPose(700.0, -400.0, 2.0)))
    status.wait_for(lambda message: message.off_treads_state == RobotStatus.IN_AIR)
    world.emulator.call(lambda f: f.handling.put(Posture.FLAT))
    down = status.wait_for(
        lambda message: message.origin_id == known.origin_id + 1
        and message.off_treads_state == RobotStatus.ON_TREADS
    )

    # The robot's own coordinate system jumps, of which it was not told.
    jump = AbsoluteLocalizationUpdate(
        pose_frame_id=down.pose_frame_id + 1,
        pose_origin_id=down.origin_id,
        pose_x=900.0,
        pose_y=-300.0,
        heading_angle=-1.0,
    )
    world.emulator.call(lambda f: f.body._on_localization(jump))
    reported = status.wait_for(lambda m: m.pose_frame_id == jump.pose_frame_id)
    stood = odometry.wait_for_new()
    assert math.hypot(step(first, stood).x, step(first, stood).y) < 0.002
    assert step(first, stood).yaw == pytest.approx(0.0, abs=0.01)

    # Where the robot counts from is told: its own pose there is that of origin_link in odom.
    own, origin = world.emulator.state().reported_pose, reported.origin_transform
    turn = 2 * math.atan2(origin.rotation.z, origin.rotation.w)
    base = Pose2D(origin.translation.x, origin.translation.y, turn)
    seen = base.compose(Pose2D(own.x / 1000, own.y / 1000, own.angle))
    link = plane_pose(stood.pose.pose).compose(DRIVE_CENTER.inverse())
    assert (seen.x, seen.y) == pytest.approx((link.x, link.y), abs=0.002)

    # After 100 states it is told where to count from.
    wait_for(events, RobotEvent.DELOCALIZED)
    status.wait_for(lambda message: message.origin_id == down.origin_id + 1)

    steps = [step(a, b) for a, b in pairwise(odometry.messages)]
    assert max(math.hypot(each.x, each.y) for each in steps) < 0.02
    assert max(abs(each.yaw) for each in steps) < 0.05
    stamps = [seconds(message.header.stamp) for message in odometry.messages]
    assert all(a < b for a, b in pairwise(stamps))
    received = [at * 1e-9 for at in odometry.received_at]
    assert all(stamp <= at for stamp, at in zip(stamps, received, strict=False))
    assert odometry.messages[-1].pose.covariance[0] > first.pose.covariance[0] + 0.2
    # Where it was carried before, too, nothing is known of its heading.
    assert odometry.messages[-1].pose.covariance[35] > 3.0

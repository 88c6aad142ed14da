from __future__ import annotations

import asyncio
import itertools
import math
from dataclasses import replace

import pytest

from cozmo_driver.protocol import RobotStatusFlag, SendQueueFull, messages
from cozmo_driver.robot import (
    DRIVE_CENTER,
    Arc,
    DriveLimits,
    Line,
    Owner,
    Pose2D,
    Reason,
    Refused,
    Turn,
    Waypoint,
)
from cozmo_driver.robot.paths.segments import origin_track

from .hands import act, close, fails, is_standing, outcome, truth, with_robot
from .virtual import Stall

SQUARE = [Line((0.0, 0.0), (0.3, 0.0)), Turn((0.3, 0.0), math.pi / 2), Line((0.3, 0.0), (0.3, 0.3))]
LONG = [Line((i * 0.05, 0.0), ((i + 1) * 0.05, 0.0), speed=0.2) for i in range(20)]


@with_robot()
async def test_a_path_is_driven_to_its_end(world):
    progress = []
    end = await world.robot.paths.follow(SQUARE, on_progress=progress.append)
    assert close(end.pose, Pose2D(0.3, 0.3, math.pi / 2), 0.005, 0.1)
    assert (end.segments_completed, end.segment_count) == (3, 3)
    assert end.distance_traveled == pytest.approx(0.6)
    assert end.distance_remaining == 0.0
    assert {p.segment for p in progress} == {-1, 0, 1, 2}
    assert [p.segment for p in progress] == sorted(p.segment for p in progress)
    traveled = [p.distance_traveled for p in progress]
    assert traveled == sorted(traveled)
    assert all(p.distance_traveled + p.distance_remaining == pytest.approx(0.6) for p in progress)
    assert is_standing(world)
    assert world.robot.motion.wheels.owner is Owner.NONE


@pytest.mark.parametrize("speed", [0.1, -0.1])
@pytest.mark.parametrize("sweep", [2.0, -2.0])
def test_the_robot_is_given_the_track_of_its_origin_around_the_same_centre(speed, sweep):
    arc = Arc((0.3, -0.1), 0.06, 1.0, sweep, speed=speed)
    (track,) = origin_track([arc], arc.start_heading)
    for share in (0.0, 0.4, 1.0):
        done, left = (
            replace(arc, sweep_angle=share * sweep),
            replace(track, sweep_angle=share * sweep),
        )
        center = Pose2D(*done.end, done.end_heading)
        origin = center.compose(DRIVE_CENTER.inverse())
        assert left.end == pytest.approx((origin.x, origin.y))


@with_robot()
async def test_a_long_path_is_followed_where_the_index_counts_from_what_is_left(world):
    act(world, lambda f: setattr(f.path, "trim_shifts_index", True))
    segments = []
    end = await world.robot.paths.follow(LONG, on_progress=lambda p: segments.append(p.segment))
    assert end.pose.x == pytest.approx(1.0, abs=0.003)
    assert set(segments) == {-1, *range(20)}
    assert act(world, lambda f: f.path.longest_queue) == 8


@with_robot({"seed": 3})
async def test_a_dense_path_from_a_planner_is_followed(world):
    def curve(t):
        return t, 0.1 * math.sin(5 * t)

    waypoints = [Waypoint(*curve(i * 0.02)) for i in range(1, 40)]
    track = []
    world.robot.motion.drive(0.05, 0.0)
    await world.pass_time(0.2)
    end = await world.robot.paths.follow_poses(
        waypoints, on_progress=lambda p: track.append(p.pose)
    )
    assert math.dist((end.pose.x, end.pose.y), curve(0.78)) < 0.010
    for pose in track:
        distance = min(math.dist((pose.x, pose.y), curve(i * 0.005)) for i in range(180))
        assert distance < 0.03


@with_robot()
async def test_set_odometry_does_not_disturb_a_path(world):
    robot, traveled = world.robot, []
    following = robot.paths.follow(LONG, on_progress=lambda p: traveled.append(p.distance_traveled))
    task = asyncio.ensure_future(following)
    await world.until(lambda: robot.odometry.pose.x > 0.5)
    robot.localization.set_odometry(Pose2D(0.2, 0.3, 2.0))
    end = await task
    assert close(truth(world), Pose2D(1.0 + DRIVE_CENTER.inverse().x), 0.005)
    assert (end.segments_completed, end.pose) == (20, robot.localization.drive_center)
    assert traveled == sorted(traveled)
    assert max(after - before for before, after in itertools.pairwise(traveled)) < 0.05


@with_robot()
async def test_a_path_to_where_the_robot_stands_ends_at_once(world):
    end = await world.robot.paths.follow_poses([Waypoint(DRIVE_CENTER.x, 0.0, 0.0)])
    assert (end.segment_count, end.distance_remaining) == (0, 0.0)
    assert not world.wire.received(messages.ExecutePath)


@with_robot()
async def test_bad_poses_are_refused_before_anything_stops(world):
    world.robot.motion.drive(0.05, 0.0)
    with pytest.raises(ValueError, match="pose 1"):
        await world.robot.paths.follow_poses([Waypoint(0.1, 0.0), Waypoint(math.nan, 0.0)])
    assert world.robot.motion.wheels.owner is Owner.TOPIC


@with_robot()
async def test_the_robot_turns_first_where_the_heading_does_not_fit(world):
    progress = []
    end = await world.robot.paths.follow(
        [Line((0.0, 0.0), (0.0, 0.3)), Line((0.0, 0.3), (0.3, 0.3))], on_progress=progress.append
    )
    assert math.dist((end.pose.x, end.pose.y), (0.3, 0.3)) < 0.005
    assert {p.segment for p in progress} == {-1, 0, 1}
    assert end.segment_count == 2


@with_robot()
async def test_a_line_of_no_length_turns_nothing(world):
    robot = world.robot
    await robot.turns.turn(1.5)
    start = robot.localization.drive_center
    assert await robot.maneuvers.drive_distance(0.0) == pytest.approx(0.0, abs=1e-3)
    assert await robot.maneuvers.drive_distance(-0.0) == pytest.approx(0.0, abs=1e-3)
    here, there = (start.x, start.y), start.compose(Pose2D(0.1))
    goal = (there.x, there.y)
    lines = [Line(here, here), Line(here, goal), Line(goal, goal, speed=-0.1)]
    end = await robot.paths.follow(lines)
    assert (end.segments_completed, end.segment_count) == (3, 3)
    assert close(end.pose, there)
    assert len(world.wire.received(messages.AppendPathSegmentLine)) == 1
    assert not world.wire.received(messages.AppendPathSegmentPointTurn)


@with_robot(limits=DriveLimits(wheel_speed=0.02, yaw_rate=0.05))
async def test_a_robot_with_low_limits_has_the_time_that_it_needs(world):
    assert await world.robot.maneuvers.drive_distance(0.5) == pytest.approx(0.5, abs=0.005)
    end = await world.robot.paths.follow([Turn((0.5 + DRIVE_CENTER.x, 0.0), 1.0)])
    assert end.pose.yaw == pytest.approx(1.0, abs=0.05)


@with_robot()
async def test_a_segment_that_a_full_queue_refused_is_sent_again(world):
    session, refused = world.robot.session, []
    send = session.send

    def sending(message):
        is_segment = isinstance(message, messages.AppendPathSegmentLine)
        if is_segment and not refused and world.wire.received(messages.ExecutePath):
            refused.append(message)
            raise SendQueueFull("the queue is full")
        return send(message)

    session.send = sending
    await world.robot.paths.follow(LONG[:13])
    assert refused
    ends = [line.x_end_mm for line in world.wire.received(messages.AppendPathSegmentLine)]
    assert ends == sorted(ends)
    assert len(ends) == 13


# -- ends before the goal


async def driving(world, segments=SQUARE):
    """Begin to drive and return the task when the robot is under way."""
    task = asyncio.ensure_future(world.robot.paths.follow(segments))
    await world.until(lambda: world.robot.odometry.pose.x > 0.05)
    return task


@with_robot()
async def test_cancelling_clears_the_path_and_stops(world):
    task = await driving(world)
    task.cancel()
    assert isinstance(await outcome(task), asyncio.CancelledError)
    await world.until(lambda: is_standing(world))
    assert not act(world, lambda f: f.path.is_pathing)
    assert len(world.wire.received(messages.ClearPath)) == 2
    assert world.robot.motion.wheels.owner is Owner.NONE
    await world.pass_time(1.0)
    assert truth(world).x < 0.15


@with_robot()
async def test_an_edge_ends_a_path_with_its_reason(world):
    task = await driving(world)
    act(world, lambda f: f.ground.set_edge(True))
    assert (await outcome(task)).reason is Reason.CLIFF
    assert is_standing(world) or await world.until(lambda: is_standing(world))
    with fails(Reason.CLIFF, Refused):
        await world.robot.maneuvers.drive_distance(0.1)
    assert await world.robot.maneuvers.drive_distance(-0.1) == pytest.approx(-0.1, abs=0.005)
    await world.robot.maneuvers.drive_distance(0.05)


@with_robot()
async def test_an_interruption_by_the_robot_itself_is_told(world):
    task = await driving(world)
    act(world, lambda f: f.path.interrupt())
    assert (await outcome(task)).reason is Reason.ROBOT_ERROR


@with_robot()
async def test_a_robot_that_is_held_in_a_turn_is_stuck(world):
    task = await driving(world)
    await world.until(lambda: world.robot.odometry.pose.yaw > 0.2)
    act(world, lambda f: f.ground.hold(True))
    assert (await outcome(task)).reason is Reason.BLOCKED
    await world.until(lambda: is_standing(world))


@with_robot()
async def test_late_states_of_a_path_that_was_cleared_do_not_count(world):
    """The first segments of the next one were deleted before the robot drove them."""
    progress = []
    task = asyncio.ensure_future(world.robot.paths.follow(LONG, on_progress=progress.append))
    await world.until(lambda: world.wire.received(messages.ExecutePath))
    flags = world.robot.state.flags | RobotStatusFlag.IS_PATHING
    world.robot.motion.wheels.update(replace(world.robot.state, flags=flags, path_segment=3))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not world.wire.received(messages.TrimPath)
    assert progress[-1].segment == -1
    await task
    assert close(truth(world).compose(DRIVE_CENTER), Pose2D(1.0), 0.005, 0.05)


@with_robot()
async def test_a_robot_that_does_not_begin_is_not_waited_for_for_ever(world):
    act(world, lambda f: f.core._handlers.pop(messages.ExecutePath))
    with fails(Reason.TIMEOUT):
        await world.robot.paths.follow(SQUARE)


@pytest.mark.parametrize(
    "segments",
    [
        [],
        [Line((0.5, 0.0), (0.6, 0.0))],
        [Line((0.0, 0.0), (0.1, 0.0)), Line((0.3, 0.0), (0.4, 0.0))],
    ],
)
@with_robot()
async def test_paths_with_gaps_are_refused_before_anything_moves(world, segments):
    with fails(Reason.INVALID, Refused):
        await world.robot.paths.follow(segments)
    assert not world.wire.received(messages.ExecutePath)


@with_robot({"on_charger": True})
async def test_nothing_drives_off_on_the_charger_but_undocking(world):
    with fails(Reason.ON_CHARGER, Refused):
        await world.robot.paths.follow(SQUARE)


@pytest.mark.parametrize("stall", [0.8, 1.5, 2.5])
def test_what_a_stalled_wifi_held_up_is_driven_after_it(stall):
    bow = Arc((0.0, 0.2), 0.2, -math.pi / 2, 0.1)
    bows = [replace(bow, start_angle=bow.start_angle + 0.1 * i) for i in range(13)]

    @with_robot()
    async def drives(world):
        stalls, sendto, places = [], world.wire.sendto, []

        def stalling(datagram, address):
            if not stalls or world.loop.time() > stalls[0] + stall:
                sendto(datagram, address)

        def on_progress(progress):
            places.append(progress.pose)
            if not stalls and progress.segments_completed == 3:
                stalls.append(world.loop.time())

        world.wire.sendto = stalling
        end = await world.robot.paths.follow(bows, on_progress=on_progress)
        assert math.dist((end.pose.x, end.pose.y), bows[-1].end) < 0.005
        assert all(abs(math.dist((p.x, p.y), bow.center) - bow.radius) < 0.006 for p in places)

    drives()


class Queue(Stall):
    """A stall after which what the robot sent meanwhile comes one by one."""

    def to_engine(self, now):
        return max(now, self.end - 0.01 * (self.end - now))


@with_robot()
async def test_a_slow_path_goes_on_after_a_stall_in_which_nothing_was_seen_of_it(world):
    task = await driving(world, [Line((-0.02, 0.0), (0.15, 0.0), 0.010)])
    for _ in range(3):
        world.wire.wifi = Queue(world.loop.time() + 2.9)
        await world.pass_time(3.4)
    end = await task
    assert close(end.pose, Pose2D(0.15), 0.005)


@with_robot()
async def test_a_long_path_goes_on_as_it_was_when_the_odometry_is_set(world):
    task = await driving(world, LONG)
    world.robot.localization.set_odometry(Pose2D(5.0, 5.0, 2.0))
    await task
    assert close(truth(world).compose(DRIVE_CENTER), Pose2D(1.0), 0.005, 0.05)

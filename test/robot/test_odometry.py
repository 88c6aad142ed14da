from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.robot import OffTreads, Pose2D
from cozmo_driver.robot.odometry import OdometryTracker

from .states import state

finite = st.floats(-10, 10)
poses = st.builds(Pose2D, finite, finite, st.floats(-3.1, 3.1))


def close(a: Pose2D, b: Pose2D) -> bool:
    return (
        math.hypot(a.x - b.x, a.y - b.y) < 1e-9
        and abs(math.remainder(a.yaw - b.yaw, 2 * math.pi)) < 1e-9
    )


@given(poses, poses)
def test_a_pose_composed_with_its_inverse_is_the_identity(a, b):
    assert close(a.compose(a.inverse()), Pose2D())
    assert close(a.inverse().compose(a.compose(b)), b)


@given(st.lists(poses, min_size=2, max_size=20), poses)
def test_a_new_origin_never_moves_the_pose(path, elsewhere):
    tracker = OdometryTracker()
    for pose in path:
        before = tracker.update(state(pose=pose)).pose
    after = tracker.update(state(pose=elsewhere, origin_id=2)).pose
    assert close(before, after)
    step = Pose2D(0.1, 0.0, 0.2)
    moved = tracker.update(state(pose=elsewhere.compose(step), origin_id=2)).pose
    assert close(moved, before.compose(step))


@pytest.mark.parametrize("posture", [p for p in OffTreads if p is not OffTreads.ON_TREADS])
def test_the_pose_stands_still_in_every_posture_off_the_treads(posture):
    tracker = OdometryTracker()
    tracker.update(state())
    assert tracker.update(state(pose=Pose2D(1, 0, 0), off_treads=posture)).pose == Pose2D()


def test_variances_of_the_velocity_grow_by_slip_and_by_lifting_and_fall_back():
    tracker = OdometryTracker()

    def scale(time, **arguments):
        changes = {"off_treads": arguments.pop("off_treads", OffTreads.ON_TREADS)}
        return tracker.update(state(time=time, **changes), **arguments).covariance_scale

    assert scale(0.0) == 1.0
    assert scale(1.0, is_slipping=True) == 100.0
    fading = [scale(1.0 + 0.1 * step) for step in range(1, 30)]
    assert fading == sorted(fading, reverse=True)
    assert 1.0 < fading[9] < 20.0
    assert fading[19:] == [1.0] * 10
    assert scale(5.0, off_treads=OffTreads.ON_BACK) == 100.0
    assert scale(60.0, off_treads=OffTreads.ON_BACK) == 100.0
    assert scale(60.03) > 90.0


def variances(odometry):
    return odometry.position_variance, odometry.heading_variance


courses = st.lists(
    st.tuples(
        st.builds(Pose2D, st.floats(-0.01, 0.01), st.floats(-0.01, 0.01), st.floats(-0.2, 0.2)),
        st.sampled_from([OffTreads.ON_TREADS, OffTreads.ON_TREADS, OffTreads.IN_AIR]),
        st.booleans(),
    ),
    max_size=40,
)


@given(courses)
def test_the_variances_of_the_pose_never_shrink_and_grow_with_every_movement(course):
    tracker = OdometryTracker()
    last, pose = tracker.update(state()), Pose2D()
    for number, (step, posture, slips) in enumerate(course):
        pose = pose.compose(step)
        odometry = tracker.update(
            state(time=float(number), pose=pose, off_treads=posture), is_slipping=slips
        )
        assert all(a <= b for a, b in zip(variances(last), variances(odometry), strict=True))
        if not close(odometry.pose, last.pose):
            assert variances(odometry) > variances(last)
        last = odometry
    tracker.rebase(Pose2D(1.0, 2.0, 3.0))
    assert variances(tracker.update(state(pose=pose))) == (0.0, 0.0)


def test_a_standing_robot_is_as_certain_as_it_was():
    tracker = OdometryTracker()
    assert variances(tracker.update(state())) == (0.0, 0.0)
    driven = tracker.update(state(time=1.0, pose=Pose2D(0.1)))
    assert variances(driven) > (0.0, 0.0)
    assert variances(tracker.update(state(time=3600.0, pose=Pose2D(0.1)))) == variances(driven)
    # Its heading wanders, by 3e-5 rad from state to state.
    for step in range(3000):
        pose = Pose2D(0.1, 0.0, 3e-4 * math.sin(step / 10))
        stands = tracker.update(state(time=3600.0 + 0.03 * step, pose=pose))
    assert variances(stands) == variances(driven)


def test_turns_count_however_slow_they_are():
    def turned(seconds):
        tracker, steps = OdometryTracker(), round(seconds / 0.03)
        for step in range(steps + 1):
            pose = Pose2D(0.0, 0.0, 0.5 * step / steps)
            odometry = tracker.update(state(time=0.03 * step, pose=pose))
        return variances(odometry)

    assert turned(500.0) == pytest.approx(turned(0.3), rel=0.01)
    assert turned(500.0)[1] == pytest.approx(1e-3 * 0.5, rel=0.01)


def test_slip_and_lifting_cost_certainty_once_and_for_good():
    tracker = OdometryTracker()
    tracker.update(state())
    slipped = variances(tracker.update(state(), is_slipping=True))
    assert slipped[0] == pytest.approx(0.05**2)
    assert variances(tracker.update(state(), is_slipping=True)) == slipped
    assert variances(tracker.update(state(time=99.0))) == slipped
    lifted = variances(tracker.update(state(off_treads=OffTreads.IN_AIR)))
    assert variances(tracker.update(state(off_treads=OffTreads.ON_BACK))) == lifted
    assert lifted[0] == pytest.approx(0.55**2)
    # Any heading is as likely as another, and stays so.
    assert lifted[1] == pytest.approx(math.pi**2 / 3)
    down = tracker.update(state())
    assert variances(down) == lifted
    assert variances(tracker.update(state(off_treads=OffTreads.IN_AIR)))[1] == lifted[1]
    # Where it then goes depends on its heading.
    tracker.update(state())
    driven = tracker.update(state(pose=Pose2D(1.0)))
    assert math.sqrt(driven.position_variance) > math.sqrt(down.position_variance) + 1.0


@pytest.mark.parametrize(("silence", "unseen"), [(2.0, 2.0), (90.0, 5.0)])
def test_what_may_have_been_driven_before_a_new_session_costs_certainty(silence, unseen):
    def resumed(*, sets=False, **changes):
        """Return what a session begins with, after one that ended with such a state."""
        tracker = OdometryTracker()
        tracker.update(state(**changes))
        if sets:
            tracker.rebase(Pose2D(1.0, 2.0, 3.0))
        # Nothing is heard of the robot in the first of the two.
        tracker.rebase()
        tracker.rebase()
        first = variances(tracker.update(state(time=silence)))
        assert variances(tracker.update(state(time=silence + 0.03))) == first
        return first

    assert resumed() == (0.0, 0.0)
    ahead = {"left_wheel_speed": 0.1, "right_wheel_speed": 0.1}
    assert resumed(**ahead) == pytest.approx(((0.1 * unseen) ** 2, (0.02 * unseen) ** 2))
    assert resumed(**ahead, sets=True) == (0.0, 0.0)
    position, heading = resumed(left_wheel_speed=-0.0069, right_wheel_speed=0.0069)
    assert (position, heading) == pytest.approx((0.0, (0.2 * unseen) ** 2))


def test_how_much_and_how_long_variances_grow_can_be_changed():
    tracker = OdometryTracker()
    tracker.uncertainty.inflation, tracker.uncertainty.duration = 4.0, 0.0
    assert tracker.update(state(time=1.0), is_slipping=True).covariance_scale == 4.0
    assert tracker.update(state(time=1.03)).covariance_scale == 1.0


def test_the_velocity_comes_from_the_treads_and_the_heading():
    tracker, rates = OdometryTracker(), []
    for step in range(12):
        # It swings by 5 mrad and turns, from the sixth state on.
        yaw = 0.005 * (-1) ** step + 1.5 * 0.03 * max(0, step - 5)
        x = 0.04 * 0.03 * step
        odometry = tracker.update(
            state(
                robot_time=0.03 * step,
                pose=Pose2D(x, 0.0, yaw),
                left_wheel_speed=0.02,
                right_wheel_speed=0.06,
            )
        )
        assert odometry.linear_velocity == pytest.approx(0.04)
        rates.append(odometry.angular_velocity)
    assert max(map(abs, rates[3:6])) < 0.12
    assert rates[9:] == pytest.approx([1.5] * 3, abs=0.12)


def test_a_robot_that_stopped_has_no_speed_though_it_reports_that_of_its_last_moment():
    # As a real one ends a drive at 30 mm/s (spec 18): x in mm, yaw, speeds of the treads in mm/s.
    recorded = [
        (24.628, 0.00404, 27, 28),
        (25.497, 0.00516, 29, 27),
        (26.192, 0.00393, 19, 14),
        (26.253, 0.00346, 8, 14),
        (26.253, 0.00328, 8, 14),
        (26.253, 0.00331, 8, 14),
        (26.192, 0.00339, 0, 14),
        (26.192, 0.00339, 0, 0),
    ]
    tracker, speeds = OdometryTracker(), []
    for step, (x, yaw, left, right) in enumerate(recorded):
        odometry = tracker.update(
            state(
                robot_time=0.03 * step,
                pose=Pose2D(x / 1000, 0.0, yaw),
                left_wheel_speed=left / 1000,
                right_wheel_speed=right / 1000,
            )
        )
        speeds.append(round(1000 * odometry.linear_velocity, 1))
    assert speeds == [27.5, 28.0, 16.5, 11.0, 0.0, 0.0, 7.0, 0.0]

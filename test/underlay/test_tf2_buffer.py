"""Lookups in a buffer that is filled by hand."""

from __future__ import annotations

import math
import threading

import pytest

from . import skip_unless_stand_in

skip_unless_stand_in("tf2_ros")

import numpy as np
from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import TransformStamped
from hypothesis import given
from hypothesis import strategies as st
from rclpy.duration import Duration
from rclpy.time import Time
from tf2_ros import (
    Buffer,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)

LATEST = Time()
WHO = "the test"


def transform(
    parent: str,
    child: str,
    seconds: float = 0.0,
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0),
    yaw: float = 0.0,
) -> TransformStamped:
    message = TransformStamped()
    message.header.stamp = at(seconds).to_msg()
    message.header.frame_id = parent
    message.child_frame_id = child
    translation, rotation = message.transform.translation, message.transform.rotation
    translation.x, translation.y, translation.z = xyz
    rotation.z, rotation.w = math.sin(yaw / 2.0), math.cos(yaw / 2.0)
    return message


def at(seconds: float) -> Time:
    return Time(nanoseconds=round(seconds * 1e9))


def pose(message: TransformStamped) -> tuple[float, float, float, float]:
    """(x, y, z, yaw) of a transform that only turns about z."""
    translation, rotation = message.transform.translation, message.transform.rotation
    assert abs(rotation.x) < 1e-12
    assert abs(rotation.y) < 1e-12
    yaw = 2.0 * math.atan2(rotation.z, rotation.w)
    return translation.x, translation.y, translation.z, math.remainder(yaw, math.tau)


def filled(*transforms: TransformStamped, static: tuple[TransformStamped, ...] = ()) -> Buffer:
    buffer = Buffer()
    for one in transforms:
        buffer.set_transform(one, WHO)
    for one in static:
        buffer.set_transform_static(one, WHO)
    return buffer


def test_a_lookup_names_frames_and_time_as_asked() -> None:
    buffer = filled(transform("odom", "base", 5.0, (1.0, 2.0, 3.0)))

    found = buffer.lookup_transform("odom", "base", LATEST)

    assert (found.header.frame_id, found.child_frame_id) == ("odom", "base")
    assert found.header.stamp == TimeMessage(sec=5)
    assert pose(found) == (1.0, 2.0, 3.0, 0.0)


def test_between_two_samples_both_parts_are_interpolated_the_shorter_way_round() -> None:
    first, second = math.radians(170.0), math.radians(-170.0)
    buffer = filled(
        transform("odom", "base", 1.0, (0.0, 0.0, 0.0), first),
        transform("odom", "base", 2.0, (1.0, 2.0, 0.0), second),
    )

    found = pose(buffer.lookup_transform("odom", "base", at(1.25)))
    assert found == pytest.approx((0.25, 0.5, 0.0, math.radians(175.0)))


@pytest.mark.parametrize(("seconds", "way"), [(0.9, "past"), (2.1, "future")])
def test_outside_of_what_is_known_nothing_is_guessed(seconds: float, way: str) -> None:
    buffer = filled(transform("odom", "base", 1.0), transform("odom", "base", 2.0))

    with pytest.raises(ExtrapolationException, match=f"extrapolation into the {way}"):
        buffer.lookup_transform("odom", "base", at(seconds))


def test_the_latest_time_is_the_one_all_frames_share() -> None:
    buffer = filled(
        transform("odom", "base", 1.0),
        transform("odom", "base", 3.0, (3.0, 0.0, 0.0)),
        transform("base", "head", 1.0),
        transform("base", "head", 2.0),
    )

    found = buffer.lookup_transform("odom", "head", LATEST)

    assert found.header.stamp == TimeMessage(sec=2)
    assert pose(found)[0] == pytest.approx(1.5)


def test_a_static_transform_holds_at_every_time() -> None:
    buffer = filled(
        transform("odom", "base", 1.0),
        transform("odom", "base", 2.0),
        static=(transform("base", "camera", 500.0, (0.1, 0.0, 0.0)),),
    )

    assert pose(buffer.lookup_transform("odom", "camera", at(1.5)))[0] == 0.1
    assert pose(buffer.lookup_transform("base", "camera", at(77.0)))[0] == 0.1
    assert buffer.lookup_transform("odom", "camera", LATEST).header.stamp == TimeMessage(sec=2)
    assert buffer.lookup_transform("base", "camera", LATEST).header.stamp == TimeMessage()


def test_frames_above_the_common_one_need_not_be_known_at_that_time() -> None:
    buffer = filled(
        transform("map", "odom", 1.0),
        transform("odom", "base", 5.0),
        transform("odom", "cube", 5.0, (1.0, 0.0, 0.0)),
    )

    assert pose(buffer.lookup_transform("base", "cube", at(5.0)))[0] == 1.0


def test_an_unknown_frame_is_a_lookup_error() -> None:
    buffer = filled(transform("odom", "base", 1.0))

    with pytest.raises(LookupException, match="'moon' does not exist"):
        buffer.lookup_transform("odom", "moon", LATEST)
    with pytest.raises(LookupException, match="'moon' does not exist"):
        buffer.lookup_transform("moon", "base", LATEST)
    possible, reason = buffer.can_transform("odom", "moon", LATEST, return_debug_tuple=True)
    assert (possible, "moon" in reason) == (False, True)


def test_two_trees_are_a_connectivity_error() -> None:
    buffer = filled(transform("odom", "base", 1.0), transform("world", "table", 1.0))

    for time in (LATEST, at(1.0)):
        with pytest.raises(ConnectivityException, match="'base' and 'table'"):
            buffer.lookup_transform("base", "table", time)


@pytest.mark.parametrize("frame", ["", "/base"])
def test_a_name_that_cannot_be_meant_is_an_argument_error(frame: str) -> None:
    with pytest.raises(InvalidArgumentException):
        filled(transform("odom", "base", 1.0)).lookup_transform("odom", frame, LATEST)


def test_samples_older_than_the_cache_are_dropped() -> None:
    buffer = Buffer(cache_time=Duration(seconds=2))
    for seconds in (1.0, 2.0, 3.0, 4.0):
        buffer.set_transform(transform("odom", "base", seconds), WHO)
    buffer.set_transform(transform("odom", "base", 0.5), WHO)

    assert buffer.can_transform("odom", "base", at(2.0))
    assert not buffer.can_transform("odom", "base", at(1.9))


def test_samples_may_arrive_in_any_order() -> None:
    buffer = filled(
        transform("odom", "base", 3.0, (3.0, 0.0, 0.0)),
        transform("odom", "base", 1.0, (1.0, 0.0, 0.0)),
        transform("odom", "base", 2.0, (2.0, 0.0, 0.0)),
    )

    assert pose(buffer.lookup_transform("odom", "base", at(1.5)))[0] == pytest.approx(1.5)
    assert buffer.lookup_transform("odom", "base", LATEST).header.stamp == TimeMessage(sec=3)


def test_a_frame_that_gets_another_parent_keeps_its_past() -> None:
    buffer = filled(
        transform("table", "cube", 1.0, (1.0, 0.0, 0.0)),
        transform("lift", "cube", 2.0, (2.0, 0.0, 0.0)),
        static=(transform("world", "table"), transform("world", "lift")),
    )

    assert pose(buffer.lookup_transform("world", "cube", at(1.5)))[0] == 1.0
    assert pose(buffer.lookup_transform("world", "cube", at(2.0)))[0] == 2.0


@pytest.mark.parametrize(
    "broken",
    [
        transform("base", "base", 1.0),
        transform("", "base", 1.0),
        transform("odom", "", 1.0),
        transform("odom", "base", 1.0, (math.nan, 0.0, 0.0)),
        transform("odom", "base", 1.0, yaw=math.nan),
    ],
    ids=["own parent", "no parent", "no child", "no position", "no rotation"],
)
def test_what_is_no_transform_is_dropped(broken: TransformStamped) -> None:
    buffer = filled(broken)

    assert not buffer.can_transform("odom", "odom", LATEST)
    assert not buffer.can_transform("base", "base", LATEST)


def test_frames_in_a_loop_end_in_an_error() -> None:
    buffer = filled(
        transform("a", "b", 1.0), transform("b", "a", 1.0), transform("odom", "base", 1.0)
    )

    for time in (LATEST, at(1.0)):
        with pytest.raises(TransformException):
            buffer.lookup_transform("odom", "a", time)


def test_clear_forgets_what_moves() -> None:
    buffer = filled(transform("odom", "base", 1.0), static=(transform("base", "camera"),))

    buffer.clear()

    assert not buffer.can_transform("odom", "base", LATEST)
    assert buffer.can_transform("base", "camera", LATEST)


def test_a_wait_ends_when_the_transform_comes() -> None:
    buffer = Buffer()
    later = threading.Timer(0.05, buffer.set_transform, (transform("odom", "base", 1.0), WHO))
    later.start()

    found = buffer.lookup_transform("odom", "base", LATEST, timeout=Duration(seconds=60))

    later.join()
    assert found.child_frame_id == "base"
    with pytest.raises(LookupException):
        Buffer().lookup_transform("odom", "base", LATEST, timeout=Duration(nanoseconds=1_000_000))


def test_a_future_is_done_when_the_transform_comes() -> None:
    buffer = Buffer()
    future = buffer.wait_for_transform_async("odom", "base", LATEST)
    assert not future.done()

    buffer.set_transform(transform("odom", "base", 1.0, (7.0, 0.0, 0.0)), WHO)

    assert future.done()
    assert pose(future.result())[0] == 7.0
    assert buffer.wait_for_transform_async("odom", "base", LATEST).done()


parts = st.floats(-1.0, 1.0)
rotations = st.tuples(parts, parts, parts, parts).filter(lambda q: math.hypot(*q) > 0.1)


def matrix(message: TransformStamped) -> np.ndarray:
    """The transform as a matrix, by the textbook: v -> q v q* + t."""
    q, t = message.transform.rotation, message.transform.translation
    u = np.array([q.x, q.y, q.z])
    cross = np.array([[0.0, -q.z, q.y], [q.z, 0.0, -q.x], [-q.y, q.x, 0.0]])
    whole = np.eye(4)
    whole[:3, :3] = (q.w**2 - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * q.w * cross
    whole[:3, 3] = t.x, t.y, t.z
    return whole


@given(rotations, rotations)
def test_rotations_about_any_axis_compose_as_their_matrices(
    first: tuple[float, float, float, float], second: tuple[float, float, float, float]
) -> None:
    outer = transform("a", "b", 1.0, (1.0, 2.0, 3.0))
    inner = transform("b", "c", 1.0, (-3.0, 0.5, 1.0))
    for message, q in ((outer, first), (inner, second)):
        rotation = message.transform.rotation
        rotation.x, rotation.y, rotation.z, rotation.w = (part / math.hypot(*q) for part in q)

    buffer = filled(outer, inner)

    whole = matrix(outer) @ matrix(inner)
    assert np.allclose(matrix(buffer.lookup_transform("a", "c", LATEST)), whole)
    assert np.allclose(matrix(buffer.lookup_transform("c", "a", LATEST)), np.linalg.inv(whole))

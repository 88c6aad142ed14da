"""The robot's path follower and turns to headings."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.emulator.path import CAPACITY
from cozmo_driver.protocol import Message
from cozmo_driver.protocol.enums import PathEventType
from cozmo_driver.protocol.messages import (
    AbsoluteLocalizationUpdate,
    AppendPathSegmentArc,
    AppendPathSegmentLine,
    AppendPathSegmentPointTurn,
    ClearPath,
    DriveWheels,
    ExecutePath,
    MotorActionAck,
    PathFollowingEvent,
    RobotState,
    SetBodyAngle,
    StopAllMotors,
    TrimPath,
    TurnInPlaceAtSpeed,
)
from cozmo_driver.protocol.structs import PathSegmentSpeed

from .bench import Bench, started

_IS_PATHING = 0x80
CRUISE = PathSegmentSpeed(100.0, 200.0, 500.0)
SPIN = PathSegmentSpeed(2.0, 10.0, 10.0)


def line(x0: float, y0: float, x1: float, y1: float, speed: PathSegmentSpeed = CRUISE) -> Message:
    return AppendPathSegmentLine(x0, y0, x1, y1, speed)


def events(bench: Bench) -> list[tuple[int, int]]:
    return [(m.path_id, m.event_type) for m in bench.got(PathFollowingEvent)]


def drive(bench: Bench, seconds: float, *segments: Message, path_id: int = 7) -> None:
    bench.send(ClearPath(), *segments, ExecutePath(path_id))
    bench.run(seconds)


def test_a_line_is_driven_in_the_time_its_speeds_take(bench: Bench) -> None:
    drive(bench, 6.0, line(0, 0, 200, 0))
    pose = bench.last_state().pose
    assert (pose.x, pose.y, pose.angle) == pytest.approx((200.0, 0.0, 0.0), abs=1.0)
    assert events(bench) == [(7, PathEventType.STARTED), (7, PathEventType.COMPLETED)]
    started, completed = bench.times_of(PathFollowingEvent)
    # 0.5 s of acceleration over 25 mm, 0.2 s of braking over 10 mm, 165 mm at 100 mm/s.
    assert completed - started == pytest.approx(0.5 + 1.65 + 0.2, abs=0.15)
    assert max(s.lwheel_speed_mmps for s in bench.got(RobotState)) < 103.0


@pytest.mark.parametrize("side", [1, -1])
def test_an_arc_keeps_its_radius(bench: Bench, side: int) -> None:
    arc = AppendPathSegmentArc(0, side * 150, 150, -side * math.pi / 2, side * math.pi, CRUISE)
    drive(bench, 10.0, arc)
    places = [(s.pose.x, s.pose.y) for s in bench.got(RobotState)]
    assert all(abs(math.dist(place, (0, side * 150)) - 150) < 4 for place in places)
    assert places[-1] == pytest.approx((0.0, side * 300.0), abs=3.0)


def test_a_point_turn_turns_by_the_shorter_way(bench: Bench) -> None:
    bench.send(AbsoluteLocalizationUpdate(heading_angle=3.0))
    bench.run(0.1)
    drive(bench, 3.0, AppendPathSegmentPointTurn(0, 0, -3.0, 0.03, SPIN))
    angles = [s.pose.angle for s in bench.got(RobotState)]
    assert angles[-1] == pytest.approx(-3.0, abs=0.02)
    assert min(abs(angle) for angle in angles[-60:]) > 2.9


def test_trimming_deletes_finished_and_future_segments(bench: Bench) -> None:
    pieces = [line(i * 50, 0, (i + 1) * 50, 0) for i in range(5)]
    drive(bench, 1.2, *pieces)
    bench.send(TrimPath(1, 1))
    bench.run(6.0)
    assert bench.last_state().pose.x == pytest.approx(200.0, abs=1.0)
    indices = {s.curr_path_segment for s in bench.got(RobotState)}
    assert indices == {-1, 0, 1, 2, 3}


def test_more_segments_than_fit_are_dropped(bench: Bench) -> None:
    drive(bench, 0.1, *(line(i * 10, 0, (i + 1) * 10, 0) for i in range(CAPACITY + 3)))
    assert bench.firmware.path.dropped == 3
    bench.send(ClearPath(), line(0, 0, 100, 0, PathSegmentSpeed(math.nan, 1.0, 1.0)))
    bench.run(0.1)
    assert bench.firmware.path.dropped == 4


@pytest.mark.parametrize(
    "command",
    [
        ClearPath(),
        StopAllMotors(),
        DriveWheels(0, 0),
        TurnInPlaceAtSpeed(0.0, 0.0),
        AbsoluteLocalizationUpdate(pose_frame_id=1),
    ],
)
def test_other_commands_interrupt_a_path(bench: Bench, command: Message) -> None:
    drive(bench, 1.0, line(0, 0, 500, 0))
    bench.send(command)
    bench.run(1.0)
    assert events(bench) == [(7, 0), (7, 1)]
    assert not bench.last_state().status & _IS_PATHING
    assert bench.state.left_speed == bench.state.right_speed == 0.0
    bench.send(ExecutePath(8))
    bench.run(1.0)
    # Nothing was left of the path.
    assert bench.state.driven < 150


# -- turns to a heading


@pytest.mark.parametrize(("angle", "seconds"), [(0.785, 0.6), (-2.0, 1.2), (3.0, 1.2)])
def test_the_body_turns_to_a_heading_and_the_command_is_acknowledged(
    bench: Bench, angle: float, seconds: float
) -> None:
    bench.send(SetBodyAngle(angle, 5.236, 10.0, 0.0349, 0, True, 9))
    bench.run(0.1)
    assert bench.got(MotorActionAck) == [MotorActionAck(9)]
    bench.run(seconds + 0.3)
    assert bench.last_state().pose.angle == pytest.approx(angle, abs=0.01)
    assert bench.state.left_speed == 0.0


def test_what_is_driven_does_not_depend_on_how_often_anybody_looks() -> None:
    def track(looks: bool) -> list[tuple[float, float]]:
        bench = started()
        bench.send(ClearPath(), line(0, 0, 100, 0), line(100, 0, 150, 40), ExecutePath(1))
        for _ in range(60):
            for _ in range(10):
                bench.run(0.01)
                if looks:
                    bench.firmware.snapshot(bench.now)
        return [(s.pose.x, s.pose.y) for s in bench.got(RobotState)]

    assert track(True) == track(False)

"""Ways through tables of cubes: free, to the goal, and refused where there is none (spec 16 §5)."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cozmo_driver.planning import CARRYING, Box, NoPath, Plan, boxes_of_grid, first_hit, plan
from cozmo_driver.planning.lattice import ANGLES, CELL, PRIMITIVES, Kind
from cozmo_driver.planning.obstacles import track
from cozmo_driver.robot import Line, Pose2D, Turn

from .scenes import cube, table, tight_corner, touched

AHEAD = Pose2D(0.6, 0.0, 0.0)
ORIGIN = Pose2D()


def end_of(found: Plan, start: Pose2D) -> Pose2D:
    return Pose2D(*map(float, track(found.segments, start)[-1]))


def assert_at(pose: Pose2D, goal: Pose2D) -> None:
    assert math.hypot(pose.x - goal.x, pose.y - goal.y) < 1e-6
    assert abs(math.remainder(pose.yaw - goal.yaw, 2 * math.pi)) < 0.003


def assert_drivable(found: Plan, start: Pose2D) -> None:
    """Every segment begins where the one before ends, and drives there in its own direction."""
    assert math.dist(found.segments[0].start, (start.x, start.y)) < 1e-6
    heading = start.yaw
    for before, after in pairwise((None, *found.segments)):
        if before is not None:
            assert math.dist(before.end, after.start) < 1e-4
        if not isinstance(after, Turn):
            assert abs(math.remainder(after.start_heading - heading, 2 * math.pi)) < 0.003
        heading = after.end_heading


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 12))
@example(1667072, 1)  # Of which the search finds the straight way cheaper in its own frame.
@example(2224, 5)  # Of which an arc between two cubes is 0.1 mm too near to one.
@example(1560, 5)  # Which an arc passes 0.4 mm beside the goal.
def test_a_way_meets_no_cube_and_ends_at_the_goal(seed: int, count: int) -> None:
    start, goal, boxes = table(seed, count)
    try:
        found = plan(start, [goal], boxes)
    except NoPath as error:
        pytest.fail(f"free on all sides, but {error}")

    assert touched(found.segments, start, boxes) == []
    assert_at(end_of(found, start), goal)
    assert_drivable(found, start)
    assert first_hit(found.segments, start, boxes) is None


def test_a_free_way_is_a_turn_a_line_and_a_turn() -> None:
    found = plan(ORIGIN, [Pose2D(0.3, 0.3, 0.0)], [cube(0.3, -0.2)])

    assert [type(segment) for segment in found.segments] == [Turn, Line, Turn]


def test_a_robot_that_is_there_needs_no_way() -> None:
    assert plan(AHEAD, [AHEAD], [cube(0.3, 0.0)]).segments == ()


def test_of_several_goals_the_one_that_is_reached_soonest_is_chosen() -> None:
    behind_a_wall, open_one = Pose2D(0.35, 0.0, 0.0), Pose2D(0.0, 0.45, 0.0)
    wall = Box(0.2, 0.0, 0.0, 0.02, 0.5, "wall")

    assert plan(ORIGIN, [behind_a_wall, open_one], [wall]).goal == 1
    assert plan(ORIGIN, [behind_a_wall, open_one]).goal == 0


def test_a_goal_where_something_stands_is_not_driven_to() -> None:
    taken, free = cube(0.6, 0.0, name="cube_2"), Pose2D(0.6, 0.3, 0.0)

    assert plan(ORIGIN, [AHEAD, free], [taken]).goal == 1
    with pytest.raises(NoPath, match="cube_2 is in the way at the goal"):
        plan(ORIGIN, [AHEAD], [taken])


def test_a_gap_that_lets_the_robot_pass_is_too_narrow_with_a_cube_on_its_lift() -> None:
    # A corner that a longer robot cannot turn in.
    corridor = [
        Box(0.3, 0.06, 0.0, 0.7, 0.02, "left"),
        Box(0.25, -0.06, 0.0, 0.6, 0.02, "right"),
        Box(-0.06, 0.0, 0.0, 0.02, 0.14, "rear"),
        Box(0.65, -0.1, 0.0, 0.02, 0.34, "front"),
        Box(0.60, -0.25, 0.0, 0.12, 0.02, "end"),
    ]
    goal = Pose2D(0.594, -0.15, math.pi / 2)

    assert touched(plan(ORIGIN, [goal], corridor).segments, ORIGIN, corridor) == []
    with pytest.raises(NoPath):
        plan(ORIGIN, [goal], corridor, CARRYING)


def test_a_closed_room_is_told_without_looking_everywhere() -> None:
    room = [
        Box(0.2, 0.0, 0.0, 0.01, 0.41, "front"),
        Box(-0.2, 0.0, 0.0, 0.01, 0.41, "rear"),
        Box(0.0, 0.2, 0.0, 0.41, 0.01, "left"),
        Box(0.0, -0.2, 0.0, 0.41, 0.01, "right"),
    ]
    calls = iter(range(100))
    with pytest.raises(NoPath, match="close the path to the goal; front is in the way"):
        plan(ORIGIN, [AHEAD], room, is_wanted=lambda: next(calls) < 100)
    assert next(calls) < 10


def test_a_plan_ends_in_time() -> None:
    goal, walls = tight_corner()
    with pytest.raises(NoPath, match=r"within 1 s of planning; wall_3 is in the way"):
        plan(ORIGIN, [goal], walls)


def test_a_plan_that_nobody_awaits_ends() -> None:
    goal, walls = tight_corner()
    calls = iter(range(100))
    with pytest.raises(NoPath):
        plan(ORIGIN, [goal], walls, longest=math.inf, is_wanted=lambda: next(calls) < 90)
    assert next(calls) < 95


def test_a_way_that_is_known_when_the_time_is_over_is_taken() -> None:
    # A charger, and before it what may be edges of the floor.
    places = [(-0.218, -0.04), (-0.2, -0.027), (-0.14, -0.027), (0.004, 0.16), (0.036, 0.037)]
    soft = [Box(x, y, 0.0, 0.01, 0.02, "edge", is_soft=True) for x, y in places]
    charger = Box(0.22, 0.02, -0.58, 0.096, 0.08, "charger")
    goal = Pose2D(0.033, 0.143, -0.58)
    calls = iter(range(10_000))
    found = plan(
        ORIGIN, [goal], [*soft, charger], longest=math.inf, is_wanted=lambda: next(calls) < 30
    )

    assert next(calls) < 60
    assert touched(found.segments, ORIGIN, [charger]) == []
    assert_at(end_of(found, ORIGIN), goal)


def test_a_robot_inside_an_obstacle_backs_out_first() -> None:
    against = cube(0.065, 0.0)
    found = plan(ORIGIN, [AHEAD], [against])

    first = found.segments[0]
    assert isinstance(first, Line)
    assert first.speed < 0.0
    begin = Pose2D(*first.end)
    assert touched(found.segments[1:], begin, [against]) == []
    assert_at(end_of(found, ORIGIN), AHEAD)


def test_a_robot_that_is_wedged_in_says_by_what() -> None:
    with pytest.raises(NoPath, match="against cube_3"):
        plan(ORIGIN, [AHEAD], [cube(0.07, 0.0, name="cube_3"), cube(-0.06, 0.0)])


def test_what_is_soft_is_driven_over_only_where_everything_else_takes_longer() -> None:
    spot = Box(0.3, 0.0, 0.0, 0.05, 0.05, "spot", is_soft=True)
    bar = Box(0.3, 0.0, 0.0, 0.02, 3.0, "bar", is_soft=True)

    assert touched(plan(ORIGIN, [AHEAD], [spot]).segments, ORIGIN, [spot]) == []
    assert touched(plan(ORIGIN, [AHEAD], [bar]).segments, ORIGIN, [bar]) == ["bar"]


def test_a_cube_that_was_moved_into_the_way_is_found() -> None:
    way = plan(ORIGIN, [AHEAD]).segments

    assert first_hit(way, ORIGIN, [cube(0.3, 0.2)]) is None
    hit = first_hit(way, ORIGIN, [cube(0.3, 0.2), cube(0.3, 0.01, name="cube_2")])
    assert hit is not None
    assert hit.name == "cube_2"


def test_cells_of_a_map_become_few_boxes_that_cover_them_and_nothing_else() -> None:
    occupied = np.zeros((20, 30), bool)
    occupied[3:6, 4:20] = occupied[6:15, 4] = occupied[0, 29] = True

    boxes = boxes_of_grid(occupied, (-0.1, -0.2), 0.01)
    covered = np.zeros_like(occupied)
    for box in boxes:
        x0, y0 = (box.x - box.length / 2 + 0.1) / 0.01, (box.y - box.width / 2 + 0.2) / 0.01
        x1, y1 = x0 + box.length / 0.01, y0 + box.width / 0.01
        covered[round(y0) : round(y1), round(x0) : round(x1)] = True

    assert len(boxes) == 3
    assert (covered == occupied).all()


def test_goals_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="no goal"):
        plan(ORIGIN, [])
    with pytest.raises(ValueError, match="finite"):
        plan(ORIGIN, [Pose2D(math.nan, 0.0, 0.0)])
    with pytest.raises(ValueError, match="finite"):
        Box(0.0, 0.0, 0.0, math.inf, 1.0)
    with pytest.raises(NoPath, match="too far"):
        plan(ORIGIN, [Pose2D(50.0, 0.0, 0.0)])


def test_a_goal_that_is_too_far_leaves_the_others() -> None:
    taken = cube(2.8, 0.2)
    goals = [Pose2D(3.05, 0.0, 0.0), Pose2D(2.8, 0.2, 0.0), Pose2D(2.8, 0.0, 0.0)]

    assert plan(ORIGIN, goals, [taken]).goal == 2


def test_moves_of_the_lattice_are_those_of_the_robots_maker() -> None:
    straight, long, slight, _, hard, *_ = PRIMITIVES[0]

    assert (straight.length, long.length) == (pytest.approx(0.010), pytest.approx(0.050))
    assert (slight.line, slight.radius) == (
        pytest.approx(7.64e-3, 1e-3),
        pytest.approx(94.72e-3, 1e-3),
    )
    assert (hard.line, hard.radius) == (pytest.approx(5.86e-3, 1e-3), pytest.approx(34.14e-3, 1e-3))


def test_every_move_of_the_lattice_ends_in_the_middle_of_a_cell() -> None:
    for heading, moves in enumerate(PRIMITIVES):
        for move in moves:
            last = move.samples[-1]
            assert last.x == pytest.approx(move.cells[0] * CELL, abs=1e-9)
            assert last.y == pytest.approx(move.cells[1] * CELL, abs=1e-9)
            assert last.level == 2 * move.end
            assert move.start == heading
            if move.kind is not Kind.LINE:
                assert move.sweep == pytest.approx(
                    math.remainder(ANGLES[move.end] - ANGLES[heading], 2 * math.pi)
                )

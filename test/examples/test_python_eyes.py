"""The examples that see: judged by where things truly are."""

from __future__ import annotations

import math
import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cozmo_driver.emulator import Firmware, Pose2D, RunningEmulator, running_emulator
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.robot.geometry import EFFECTIVE_TRACK_WIDTH

from ..waiting import wait_until
from .programs import EXAMPLES, at, program_on, run, started

ROOM = {"name": "room", "floor": [{"rectangle": [-1, -1, 1, 1], "pattern": "wood"}]}


def seen_from_robot(emulator: RunningEmulator, cube: int) -> tuple[float, float]:
    """Return how far a cube is from where the robot turns, in mm, and how far aside, in degrees."""

    def measure(robot: Firmware) -> tuple[float, float]:
        base = robot.body.world_pose.then(Pose2D(-20.0))
        place = robot.place.world.cube(cube).pose
        x, y = place.x - base.x, place.y - base.y
        aside = math.remainder(math.atan2(y, x) - base.angle, 2 * math.pi)
        return math.hypot(x, y), math.degrees(aside)

    return emulator.call(measure)


@contextmanager
def robot_before(cube: dict[str, object]) -> Iterator[RunningEmulator]:
    world = World(layout_of(ROOM | {"cubes": [cube]}, ""))
    with running_emulator(calibration_time=0.0, world=world) as emulator:
        yield emulator


def test_find_cube_turns_to_a_cube_and_looks_at_it() -> None:
    with robot_before({"number": 2, "x": -0.04, "y": 0.16, "yaw": 60}) as emulator:
        with started("python/find_cube.py", *at(emulator), "--cube", 2) as program:
            printed = program.wait_for("mm ahead")
            program.end()
        distance, aside = seen_from_robot(emulator, 2)
        assert abs(aside) < 4.0
        head = math.atan2(22 - 50, distance) + math.radians(4)
        assert emulator.state().head_angle == pytest.approx(head, abs=0.08)
    ahead = int(printed.split(" mm ahead")[0].split()[-1])
    assert ahead == pytest.approx(distance, abs=5)


def test_drive_around_leaves_the_cube_in_its_way_where_it_is() -> None:
    with robot_before({"number": 2, "x": 0.18, "y": 0.0, "yaw": 20}) as emulator:
        printed = run("python/drive_around.py", *at(emulator), "--x", 0.34)
        assert "sees cube_2\n" in printed
        robot, cube = emulator.truth().pose, emulator.truth().cubes["2"]
        assert math.dist((robot.x, robot.y), (0.34, 0.0)) < 0.03
        assert math.dist((cube.x, cube.y), (0.18, 0.0)) < 0.001


def test_the_program_on_the_page_about_manipulation_runs(tmp_path: Path) -> None:
    file = program_on("docs/manipulation.md", tmp_path)
    with running_emulator(calibration_time=0.0, on_charger=True) as emulator:
        run(file, *at(emulator))
        assert emulator.state().sessions == 1


def test_drive_around_has_a_goal_that_is_free_in_the_emulator_s_room() -> None:
    world = World(load_layout(find_world("room")))
    with running_emulator(calibration_time=0.0, world=world) as emulator:
        assert "mm from the goal" in run("python/drive_around.py", *at(emulator))


@pytest.mark.parametrize("aside", [0.25, -0.4, 3.0])
def test_follow_tag_turns_fast_enough_for_real_treads_to_start(aside: float) -> None:
    turn = runpy.run_path(str(EXAMPLES / "python/follow_tag.py"))["turn"](aside)
    assert math.copysign(turn, aside) == turn
    assert abs(turn) * EFFECTIVE_TRACK_WIDTH / 2 > 0.020


def test_follow_tag_drives_after_it() -> None:
    tag = {"tag": "36h11:5", "size": 0.03, "side": "front"}
    cube = {"number": 1, "x": 0.25, "y": 0.03, "tags": [tag]}
    with (
        robot_before(cube) as emulator,
        started("python/follow_tag.py", *at(emulator), "--size", 30) as program,
    ):
        program.wait_for("show me 36h11:5")

        def is_followed() -> bool:
            distance, aside = seen_from_robot(emulator, 1)
            # The tag is on the near side of the cube.
            return abs(distance - 22.0 - 150.0) < 12.0 and abs(aside) < 3.0

        wait_until(is_followed, "the robot behind the tag")
        emulator.call(lambda robot: robot.place.world.move_cube(1, Pose2D(400.0, 80.0, 0.2)))
        assert not is_followed()
        wait_until(is_followed, "the robot behind the tag")

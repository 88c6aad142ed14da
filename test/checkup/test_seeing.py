"""What the checkup and ``cozmo calibrate`` see of a cube that was learnt, and in dim light."""

from __future__ import annotations

import asyncio
import math
from argparse import Namespace

import pytest

from benchmarks.calibration import emulated as table
from cozmo_driver.checkup import STEPS, Checkup, Nobody, Verdict, chosen_steps
from cozmo_driver.checkup.bench import Bench
from cozmo_driver.cli import calibrate as command
from cozmo_driver.cli.common import CommandError
from cozmo_driver.emulator import Pose2D
from cozmo_driver.perception import TEMPLATES_FILE, MarkerDetector, as_gray, learn, save_templates
from cozmo_driver.perception.detection import markers
from cozmo_driver.robot import LIGHT_CUBES, CameraOptions, Exposure, data_directory

from ..robot.hands import act
from ..robot.virtual import in_virtual_time
from .desk import Helper, emulated

SERIAL = 77
GIVEN = Namespace(json=False, dry_run=True)
DIM = 0.03
"""In which nothing is seen before most steps of the exposure are done."""


@pytest.fixture(autouse=True)
def templates_file(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return data_directory() / TEMPLATES_FILE


async def learnt(world, *, sides):
    """Learn the cube before the robot from each side, as the camera sees it; return templates."""
    templates, detector = [], MarkerDetector()
    bench = Bench(world.robot, Nobody())
    await world.robot.joints.move_head(0.0)
    place = act(world, lambda f: f.place.world.cube(1).pose)
    async with bench.camera():
        for quarter in range(4):
            turned = Pose2D(place.x, place.y, math.pi + quarter * math.pi / 2)
            act(world, lambda f, turned=turned: f.place.world.move_cube(1, turned))
            gray = as_gray((await bench.images(2))[-1].image.pixels())
            [marker] = [one for one in detector.detect(gray) if one.name == "cube_1"]
            side = marker.side if sides else ""
            templates, _ = learn(templates, 1, gray, side, marker.turns)
    act(world, lambda f: f.place.world.move_cube(1, place))
    assert len(templates) == 4
    return templates


def makers(monkeypatch):
    """Let the cube's markers be none of ours from now on."""
    monkeypatch.setattr(markers, "own_templates", tuple)


async def calibrated(world):
    """Run the checkup's step until the robot goes round the found cube; return its outcome."""
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["calibrate"]))
    await until_it_turns(world, asyncio.ensure_future(checkup.run()))
    return checkup.outcomes["calibrate"].result


async def until_it_turns(world, task):
    """Wait until a task ends, or the robot drives, which is lifted then."""
    await world.until(lambda: task.done() or world.firmware.wheels.moving)
    if not task.done():
        act(world, lambda f: f.handling.pick_up())
    await task


@in_virtual_time(table(SERIAL), cubes=LIGHT_CUBES)
async def test_a_cube_that_was_learnt_is_measured_by(world, monkeypatch, templates_file):
    templates = await learnt(world, sides=True)
    makers(monkeypatch)
    save_templates(templates_file, templates)

    found = await calibrated(world)
    assert found.sentence == "interrupted: the robot was lifted off the ground"


@in_virtual_time(table(SERIAL), cubes=LIGHT_CUBES)
async def test_a_cube_that_was_not_learnt_is_not_said_to_be_out_of_sight(world, monkeypatch):
    makers(monkeypatch)

    found = await calibrated(world)
    assert found.verdict is Verdict.SKIPPED
    assert "its markers are not known: cozmo vision learn --cube 1" in found.sentence


@in_virtual_time(table(SERIAL), cubes=LIGHT_CUBES)
async def test_a_cube_whose_sides_have_no_names_is_not_said_to_be_moved(
    world, monkeypatch, templates_file
):
    templates = await learnt(world, sides=False)
    makers(monkeypatch)
    save_templates(templates_file, templates)

    found = await calibrated(world)
    assert found.verdict is Verdict.SKIPPED
    assert "learn them by their names, cozmo vision learn --cube 1" in found.sentence


@in_virtual_time(table(SERIAL), camera=CameraOptions(enabled=True), cubes=LIGHT_CUBES)
async def test_the_command_knows_what_was_learnt(world, monkeypatch, templates_file):
    await world.until(lambda: world.robot.odometry)
    templates = await learnt(world, sides=True)
    makers(monkeypatch)
    with pytest.raises(CommandError, match="cozmo vision learn --cube 1"):
        await command._measure(world.robot, GIVEN)

    save_templates(templates_file, templates)
    with pytest.raises(CommandError, match="was lifted"):
        await until_it_turns(world, asyncio.ensure_future(command._measure(world.robot, GIVEN)))

    templates_file.write_text("{}")
    with pytest.raises(CommandError, match="learn the cubes again"):
        await command._measure(world.robot, GIVEN)


@pytest.mark.parametrize("name", ["cube", "charger"])
@in_virtual_time(emulated())
async def test_in_dim_light_it_is_seen_and_the_camera_is_as_it_was_afterwards(world, name):
    world.firmware.camera.light = DIM
    checkup = Checkup(world.robot, Helper(world), chosen_steps(STEPS, [name]))
    await checkup.run()

    found = checkup.outcomes[name].result
    assert found.verdict is Verdict.PASSED, found.sentence
    control = world.robot.camera.exposure_control
    assert not control.is_auto
    assert control.current == Exposure()


@in_virtual_time(emulated())
async def test_what_was_learnt_of_cubes_and_is_damaged_is_told_where_cubes_are_looked_for(
    world, templates_file
):
    templates_file.parent.mkdir()
    templates_file.write_text("{}")
    checkup = Checkup(world.robot, Helper(world), chosen_steps(STEPS, ["cube", "charger"]))
    await checkup.run()

    found = checkup.outcomes["cube"].result
    assert found.verdict is Verdict.SKIPPED
    assert found.sentence.startswith(f"{templates_file} is damaged")
    assert checkup.outcomes["charger"].result.verdict is Verdict.PASSED


def test_the_command_follows_the_light(monkeypatch):
    options = []
    monkeypatch.setattr(
        command.one_robot, "run_with_robot", lambda *_, **given: options.append(given["camera"])
    )
    for board in (None, (8, 6)):
        command.run(Namespace(board=board, yes=True))
    assert options == [CameraOptions(enabled=True, auto_exposure=True)] * 2


@in_virtual_time(emulated())
async def test_in_a_dim_room_nothing_is_said_of_a_noise_that_cannot_be_told(world):
    act(world, lambda f: setattr(f.camera, "light", DIM))
    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["camera"]))
    await checkup.run()

    found = checkup.outcomes["camera"].result
    assert found.verdict is Verdict.PASSED
    assert math.isnan(found.values["noise"].value)
    assert "nan" not in found.sentence
    assert "noise" not in found.sentence

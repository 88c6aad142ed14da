"""What the checkup says of treads that start late, of dark floors, and of places that get free."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.checkup import (
    STEPS,
    Checkup,
    Choice,
    Motion,
    Nobody,
    Result,
    Step,
    Verdict,
    chosen_steps,
)
from cozmo_driver.emulator import treads
from cozmo_driver.emulator.hardware import IN_AIR
from cozmo_driver.robot import DriveLimits, Reason, RobotError

from ..robot.hands import act, set_on_dark_floor
from ..robot.virtual import in_virtual_time
from .desk import Helper, emulated

DARK = 300


async def results(world, *names, person=None):
    checkup = Checkup(world.robot, person or Nobody(), chosen_steps(STEPS, names))
    await checkup.run()
    return [checkup.outcomes[name].result for name in names]


@in_virtual_time(emulated())
async def test_treads_start_at_the_speed_at_which_they_do(world):
    [start] = await results(world, "start")
    assert start.verdict is Verdict.PASSED
    assert start.values["start_speed"].value == treads.TREAD_BREAKAWAY / 1000.0


@in_virtual_time(emulated())
async def test_treads_that_start_late_are_told_before_they_count_as_held(world, monkeypatch):
    monkeypatch.setattr(treads, "TREAD_BREAKAWAY", 35.0)
    start, held = await results(world, "start", "treads")
    assert (start.verdict, start.sentence) == (
        Verdict.UNUSUAL,
        "the treads do not start at 25 mm/s",
    )
    assert held.verdict is Verdict.SKIPPED
    for one in (start, held):
        assert "are free and the battery is full" in one.advice


@in_virtual_time(emulated())
async def test_the_latency_is_measured_in_turns_that_treads_which_start_late_do(world, monkeypatch):
    monkeypatch.setattr(treads, "TREAD_BREAKAWAY", 25.0)
    [latency] = await results(world, "latency", person=Helper(world))
    assert latency.verdict is Verdict.PASSED, latency.sentence


@in_virtual_time(emulated(), limits=DriveLimits(wheel_speed=0.015))
async def test_a_robot_that_does_not_turn_has_no_latency(world):
    [latency] = await results(world, "latency", person=Helper(world))
    assert latency.verdict is Verdict.SKIPPED
    assert latency.sentence == "the robot did not turn as it was told"


EDGES = [
    (DARK, "met an edge, or took a dark floor for one", "matt"),
    (IN_AIR, "met an edge", "larger"),
]


@pytest.mark.parametrize(("reading", "said", "advice"), EDGES)
@in_virtual_time(emulated())
async def test_a_dark_floor_is_told_from_an_edge(world, reading, said, advice):
    act(world, lambda firmware: firmware.ground.set_floor(reading))
    [found] = await results(world, "treads")
    assert found.sentence == f"interrupted: the robot {said}"
    assert advice in found.advice


@pytest.mark.parametrize(("reading", "said", "advice"), EDGES)
@in_virtual_time(emulated())
async def test_a_dark_floor_that_ends_a_drive_is_told_from_an_edge(world, reading, said, advice):
    async def drive(bench):
        act(world, lambda firmware: firmware.ground.set_floor(reading))
        await bench.pause(0.2)
        raise RobotError(Reason.CLIFF, "there is an edge")

    checkup = Checkup(world.robot, Nobody(), [Step("drive", "", "", drive)])
    await checkup.run()
    found = checkup.outcomes["drive"].result
    assert found.sentence == f"interrupted: the robot {said}"
    assert advice in found.advice


@in_virtual_time(emulated())
async def test_an_edge_before_a_step_on_a_dark_floor_does_not_end_it(world):
    await set_on_dark_floor(world)
    [found] = await results(world, "treads")
    assert found.verdict is Verdict.PASSED, found.sentence
    assert world.robot.state.is_cliff_detected

    checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, ["treads"]))
    task = asyncio.ensure_future(checkup.run())
    await world.until(lambda: world.robot.state.left_wheel_speed > 0.02)
    act(world, lambda firmware: firmware.ground.set_edge(True))
    await task
    assert checkup.outcomes["treads"].result.sentence == "interrupted: the robot met an edge"


class Tidying(Nobody):
    """Has no free place at first, and makes one."""

    def __init__(self, *choices):
        super().__init__()
        self.choices, self.places, self.again_for = list(choices), [False, True], [True, False]

    async def choose(self, step, *, can_repeat):
        return self.choices.pop(0)

    async def agrees(self, request):
        return self.places.pop(0)

    async def again(self, step):
        return self.again_for.pop(0)


def driving(name):
    async def drive(bench):
        return Result(Verdict.PASSED, "it drove")

    return Step(name, "", "", drive, motion=Motion.TREADS)


@pytest.mark.parametrize(
    ("names", "choices"),
    [("a", [Choice.GO]), ("ab", [Choice.GO, Choice.REPEAT, Choice.GO])],
)
@in_virtual_time(emulated())
async def test_a_place_that_got_free_is_asked_for_where_a_step_is_repeated(world, names, choices):
    person = Tidying(*choices)
    checkup = Checkup(world.robot, person, [driving(name) for name in names])
    await checkup.run()

    found = [outcome.result.verdict for outcome in checkup.outcomes.values()]
    assert found == [Verdict.PASSED] * len(names)
    assert person.places == []

"""What the eyes no longer see, or never saw: looked for again, told, and never claimed."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import pytest

from cozmo_driver.manipulation.charger_docking import dock_charger
from cozmo_driver.manipulation.charger_memory import ChargerMemory
from cozmo_driver.manipulation.cube_pick_up import pick_up_cube
from cozmo_driver.manipulation.cube_placing import place_at, place_here, place_on
from cozmo_driver.manipulation.cube_rolling import roll_cube
from cozmo_driver.manipulation.object_approach import go_to_object
from cozmo_driver.manipulation.object_search import find_object
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.robot import Pose2D, Reason

from ..robot.virtual import in_virtual_time
from .table import Knowing, Phases, emulated, failure, held, in_odom, is_safe, until_docking

FIRST = {"number": 1, "x": 0.25, "y": 0.03, "yaw": 20}
LYING = {"number": 1, "x": 0.25, "y": 0.0, "pitch": 90}
SECOND = {"number": 2, "x": 0.1, "y": -0.3, "yaw": 30}


class Blinded(Knowing):
    """A body whose eyes may end, or lose or not recognise what they saw."""

    has_ended = is_lost = has_noticed = False
    has_vision = property(lambda self: not self.has_ended)

    def __init__(self, world):
        super().__init__(world)
        self.has_noticed = True

    @property
    def objects(self):
        things = {} if self.has_ended else dict(super().objects)
        for name, thing in things.items():
            if self.is_lost or (thing.is_carried and not self.has_noticed):
                things[name] = replace(
                    thing, state=PoseState.UNKNOWN, pose=None, is_visible=False, is_carried=False
                )
        return things


# -- sight that is lost while docking


@pytest.mark.parametrize("later", [0.0, 0.4])
@in_virtual_time(emulator=emulated(FIRST, ideal=True))
async def test_a_cube_that_is_lost_from_sight_while_docking_is_looked_for_and_tried_again(
    world, later
):
    body, phases = Blinded(world), Phases()
    picking = asyncio.ensure_future(pick_up_cube(body, "cube_1", phases))
    await until_docking(world, phases)
    await world.pass_time(later)
    body.is_lost = True
    await world.pass_time(2.0)
    body.is_lost = False
    assert await picking == ("cube_1", 2)
    assert held(world) == 1


@in_virtual_time(emulator=emulated(LYING, ideal=True))
async def test_before_its_only_side_it_is_tried_again_from_another_distance(world):
    body, begun = Blinded(world), []

    def on_phase(phase, _):
        if phase == "docking":
            away = in_odom(world, 1).inverse().compose(body.state.pose)
            begun.append(math.hypot(away.x, away.y))

    picking = asyncio.ensure_future(pick_up_cube(body, "cube_1", on_phase))
    await world.until(lambda: begun and world.firmware.docking.is_pathing)
    body.is_lost = True
    await world.pass_time(2.0)
    body.is_lost = False
    assert await picking == ("cube_1", 2)
    assert abs(begun[0] - begun[1]) > 0.015


@in_virtual_time(emulator=emulated(FIRST, ideal=True))
async def test_a_cube_that_is_not_seen_again_is_not_seen(world):
    body, phases = Blinded(world), Phases()
    picking = asyncio.ensure_future(pick_up_cube(body, "cube_1", phases))
    await until_docking(world, phases)
    body.is_lost = True
    error = await failure(picking)
    assert (error.reason, "no longer where it was" in str(error)) == (Reason.NOT_SEEN, True)
    await world.until(lambda: is_safe(world))


# -- eyes that end


def lost(body: Blinded) -> Blinded:
    body.is_lost = True
    return body


@pytest.mark.parametrize(
    ("do", "phase"),
    [
        (lambda body, on_phase: go_to_object(body, "cube_1", on_phase=on_phase), "looking"),
        *(
            (lambda body, on_phase: pick_up_cube(body, "cube_1", on_phase), phase)
            for phase in ("looking", "docking")
        ),
        (lambda body, on_phase: roll_cube(body, "cube_1", True, on_phase), "checking"),
        (lambda body, on_phase: find_object(lost(body), "cube_1", on_phase), "looking"),
        (lambda body, on_phase: dock_charger(body, ChargerMemory(), on_phase), "looking"),
    ],
    ids=["go", "pick up: looking", "pick up: docking", "roll", "find", "dock"],
)
@in_virtual_time(emulator=emulated(FIRST, ideal=True))
async def test_eyes_that_end_end_what_needs_them(world, do, phase):
    body, phases = Blinded(world), Phases()
    doing = asyncio.ensure_future(do(body, phases))
    await world.until(lambda: phases.reached(phase))
    body.has_ended = True
    ended = world.loop.time()
    error = await failure(doing)
    assert (error.reason, "start the vision node" in str(error)) == (Reason.NOT_SEEN, True)
    assert world.loop.time() - ended < 4.0
    await world.until(lambda: is_safe(world))


# -- what was put down


async def carrying_what_nobody_noticed(world) -> Blinded:
    body = Blinded(world)
    await pick_up_cube(body, "cube_1")
    body.has_noticed = False
    return body


PLACES = {
    "here": place_here,
    "at": lambda body: place_at(body, Pose2D(-0.1, 0.25, 0.3)),
    "on": lambda body: place_on(body, "cube_2"),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@in_virtual_time(emulator=emulated(FIRST, SECOND, ideal=True))
async def test_a_cube_that_nobody_noticed_on_the_lift_is_put_down_where_it_is_seen(world, place):
    placed = await place(await carrying_what_nobody_noticed(world))
    claimed = placed[0] if isinstance(placed, tuple) else placed
    there = in_odom(world, 1)
    assert held(world) is None
    assert math.dist((claimed.x, claimed.y), (there.x, there.y)) < 1e-6


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@in_virtual_time(emulator=emulated(FIRST, SECOND, ideal=True))
async def test_a_cube_that_nobody_noticed_and_that_stays_on_the_lift_was_not_put_down(world, place):
    body = await carrying_what_nobody_noticed(world)
    world.firmware.place.fork.is_sticky = True
    error = await failure(place(body))
    assert (error.reason, "still on the lift" in str(error)) == (Reason.MISSED, True)


@in_virtual_time(emulator=emulated(FIRST, ideal=True))
async def test_without_eyes_it_is_put_down_and_not_claimed(world):
    body = await carrying_what_nobody_noticed(world)
    body.has_ended = True
    error = await failure(place_here(body))
    assert (error.reason, "start the vision node" in str(error)) == (Reason.NOT_SEEN, True)
    assert held(world) is None

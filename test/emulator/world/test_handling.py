"""What hands do to a robot in a world, as the robot layer tells it."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.emulator import Pose2D
from cozmo_driver.robot import Refused
from cozmo_driver.robot import RobotEventType as Type

from ...robot.hands import act, with_robot
from .worlds import ROOM, world

CHARGER = {"x": -0.1, "y": 0.0, "yaw": 180}
_WITH_CHARGER = {
    "world": lambda: world(ROOM, charger=CHARGER, robots=[{"x": 0.1, "y": 0.0, "yaw": 0}]),
    "ideal": True,
}


def event_types(robot_world) -> list[Type]:
    """Collect the types of the events that the robot tells from now on."""
    types: list[Type] = []
    robot_world.robot.on_event.connect(lambda event: types.append(event.type))
    return types


# -- the charger


@with_robot(_WITH_CHARGER)
async def test_backing_onto_the_charger_charges_and_undocking_ends_it(world):
    types = event_types(world)
    robot = world.robot
    await robot.maneuvers.drive_distance(-0.15, speed=0.04)
    await world.until(lambda: not robot.state.is_on_charger)
    while Type.CHARGING_STARTED not in types:
        robot.motion.drive(-0.03, 0.0)
        await world.pass_time(0.1)
    robot.motion.stop()
    await world.until(lambda: Type.PLACED_ON_CHARGER in types)
    before = act(world, lambda f: f.battery.open_voltage)
    await world.pass_time(15.0)
    charged = act(world, lambda f: f.battery.open_voltage) - before
    assert charged == pytest.approx(0.0054, abs=0.001)
    with pytest.raises(Refused, match="charger"):
        await robot.maneuvers.drive_distance(0.1)
    await robot.maneuvers.undock()
    await world.until(lambda: Type.CHARGING_STOPPED in types)
    await world.until(lambda: Type.LEFT_CHARGER in types)
    assert act(world, lambda f: f.body.world_pose).x > 0.0


@with_robot(_WITH_CHARGER)
async def test_put_on_the_charger_by_hand_it_charges_until_it_is_put_off(world):
    types = event_types(world)
    act(world, lambda f: f.handling.put_on_charger(True))
    await world.until(lambda: Type.CHARGING_STARTED in types)
    act(world, lambda f: f.handling.put_on_charger(False))
    await world.until(lambda: Type.CHARGING_STOPPED in types)
    await world.until(lambda: act(world, lambda f: f.body.world_pose.x) == pytest.approx(100.0))


@with_robot(
    {
        "world": lambda: world(ROOM, charger=CHARGER, robots=[{"on_charger": True}]),
        "ideal": True,
    }
)
async def test_one_that_started_on_the_charger_is_put_off_ahead_of_it(world):
    await world.until(lambda: world.robot.state.is_on_charger)
    act(world, lambda f: f.handling.put_on_charger(False))
    await world.until(lambda: not act(world, lambda f: f.body.is_held))
    pose = act(world, lambda f: f.body.world_pose)
    assert (pose.x, pose.y) == pytest.approx((20.0, 0.0))
    await world.until(lambda: not world.robot.state.is_on_charger)


@with_robot(_WITH_CHARGER | {"on_charger": True})
async def test_a_full_battery_stays_on_the_charger_without_charging(world):
    act(world, lambda f: f.battery.set_charge(4.04))
    await world.until(lambda: world.robot.state.is_charging)
    await world.until(lambda: not world.robot.state.is_charging)
    assert world.robot.state.is_on_charger


@with_robot(_WITH_CHARGER | {"on_charger": True})
async def test_beside_its_place_the_charger_has_no_contact(world):
    dock = act(world, lambda f: f.place.world.dock)
    for beside, touches in (
        (Pose2D(0.0, 5.0), True),
        (Pose2D(0.0, 8.0), False),
        (Pose2D(5.0, 0.0), True),
        (Pose2D(8.0, 0.0), False),
        (Pose2D(0.0, 0.0, math.radians(4.0)), True),
        (Pose2D(0.0, 0.0, math.radians(8.0)), False),
    ):
        act(world, lambda f, beside=beside: f.body.carry_to(dock.then(beside)))
        assert act(world, lambda f: f.battery.on_charger) is touches

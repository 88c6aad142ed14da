"""What a robot learns of its turns from contacts to contacts of its charger."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from cozmo_driver.protocol import RobotStatusFlag
from cozmo_driver.robot import (
    Measurement,
    OffTreads,
    Pose2D,
    load_robot_calibration,
    save_robot_calibration,
)
from cozmo_driver.robot.turn_learning import TurnScaleLearner

from .hands import act, truth
from .states import state
from .test_calibrated_odometry import SERIAL, ended, scenarios, true_calibration


async def round_trip(world, *, turns: float = 2 * math.pi) -> None:
    """Drive off the charger, turn, and be put onto it as it stood there."""
    dock = truth(world)
    act(world, lambda f: f.battery.put_on_charger(False))
    await world.until(lambda: not world.robot.state.is_on_charger)
    await world.robot.maneuvers.drive_distance(0.1)
    await world.robot.turns.turn(turns)
    left = math.remainder(dock.yaw - (await ended(world)).yaw, 2 * math.pi)
    # By its own gyro, as between the rails, which turn it the rest of the way.
    await world.robot.turns.turn(left, tolerance=0.01)
    await ended(world)
    act(world, lambda f: f.battery.put_on_charger(True))
    await world.until(lambda: world.robot.state.is_on_charger)
    await world.pass_time(0.5)


def test_two_dockings_teach_the_turn_scale_and_the_file_keeps_it(tmp_path):
    truly = true_calibration().turn_scale
    distance = {"distance_scale": true_calibration().measured["distance_scale"]}
    errors = []

    @scenarios(tmp_path)
    async def docks(world):
        act(world, lambda f: f.battery.put_on_charger(True))
        await world.until(lambda: world.robot.state.is_on_charger)
        await world.pass_time(0.5)
        for _ in range(2):
            await round_trip(world)
            errors.append(abs(world.robot.calibration.turn_scale - truly))
            # Meanwhile another program measures the way.
            kept = load_robot_calibration(tmp_path, SERIAL).with_values(distance)
            save_robot_calibration(tmp_path, SERIAL, kept)

    docks()
    kept = load_robot_calibration(tmp_path, SERIAL)
    assert errors[1] < 0.003
    assert kept.turn_scale == pytest.approx(truly, abs=0.003)
    assert kept.measured["turn_scale"].source.startswith("learnt from the charger, 20")
    assert kept.distance_scale == distance["distance_scale"].value


def states(*yaws, **changes):
    """Return states from contacts to contacts with these headings between, rad."""
    docked = int(RobotStatusFlag.IS_ON_CHARGER)
    poses = [Pose2D(yaw=math.remainder(yaw, 2 * math.pi)) for yaw in yaws]
    return [
        state(pose=poses[0], flags=docked),
        *(state(pose=one, **changes) for one in poses[1:-1]),
        state(pose=poses[-1], flags=docked),
    ]


def taught(learner, trip, known=None):
    found = [learner.update(one, known) for one in trip]
    return next(filter(None, found), None)


REPORTED = [step * math.radians(355.0) / 10 for step in range(11)]


def test_a_trip_without_whole_turns_teaches_nothing():
    there_and_back = [*REPORTED[:6], *reversed(REPORTED[:5])]
    assert taught(TurnScaleLearner(), states(*there_and_back)) is None
    learnt = taught(TurnScaleLearner(), states(*REPORTED))
    assert learnt.value == pytest.approx(360 / 355, abs=0.001)


@pytest.mark.parametrize("known", [None, Measurement(1.013, 0.02, "")])
def test_after_many_turns_nobody_knows_how_many_they_were(known):
    def value_after(turns: int) -> float | None:
        reported = 2 * math.pi / 1.013 * turns
        trip = states(*(reported * step / (10 * turns) for step in range(10 * turns + 1)))
        found = taught(TurnScaleLearner(), trip, known)
        return None if found is None else found.value

    assert value_after(5) == pytest.approx(1.013, abs=0.001)
    assert value_after(39) is None


def test_a_robot_that_was_carried_or_not_heard_learns_nothing():
    for changes in (
        {"off_treads": OffTreads.IN_AIR},
        {"origin_id": 2},
        {"robot_time": 0.5},
    ):
        trip = states(*REPORTED)
        trip[5] = replace(trip[5], **changes)
        assert taught(TurnScaleLearner(), trip) is None


def test_a_charger_that_was_turned_by_much_teaches_nothing_and_by_little_little():
    measured = Measurement(360 / 355, 0.002, "cozmo calibrate")

    def value_after(turned: float) -> float | None:
        trip = states(*(yaw + turned * share / 10 for share, yaw in enumerate(REPORTED)))
        found = taught(TurnScaleLearner(), trip, measured)
        return None if found is None else found.value

    assert value_after(math.radians(8.0)) is None
    assert value_after(math.radians(3.0)) == pytest.approx(measured.value, abs=0.002)
    assert value_after(0.0) == pytest.approx(measured.value, abs=1e-6)


def test_it_goes_on_learning_for_ever_but_slowly():
    learner, known = TurnScaleLearner(), None
    values = []
    for lap in range(40):
        scale = 1.013 if lap < 20 else 1.008
        reported = [2 * math.pi / scale * step / 10 for step in range(11)]
        known = taught(learner, states(*reported), known) or known
        values.append(known.value)
    assert values[19] == pytest.approx(1.013, abs=1e-3)
    assert values[20] == pytest.approx(values[19], abs=1e-3)
    assert values[39] < values[19] - 0.001

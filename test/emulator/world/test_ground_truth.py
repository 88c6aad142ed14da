"""Where everything really is, in metres and radians."""

from __future__ import annotations

import json
import math
import time

import pytest

from cozmo_driver.emulator import Pose2D, running_emulator
from cozmo_driver.emulator.commands import perform
from cozmo_driver.emulator.ground_truth import ground_truth
from cozmo_driver.protocol.messages import DriveWheels, SetHeadAngle, SetLiftHeight

from .worlds import ROOM, TABLE, bench_in, world

THINGS = {
    "cubes": [{"number": 2, "x": 0.3, "y": -0.1, "yaw": 90.0}],
    "charger": {"x": -0.5, "y": 0.2, "yaw": 180.0},
}


def test_everything_is_told_in_metres_and_radians() -> None:
    bench = bench_in(ROOM, **THINGS)
    bench.firmware.ground.put_down(Pose2D(100.0, 200.0, 0.5))
    truth = ground_truth(bench.firmware)
    assert (truth.pose.x, truth.pose.y, truth.pose.yaw) == pytest.approx((0.1, 0.2, 0.5))
    cube = truth.cubes["2"]
    assert (cube.x, cube.y, cube.yaw) == pytest.approx((0.3, -0.1, math.pi / 2))
    assert truth.charger is not None
    assert abs(truth.charger.yaw) == pytest.approx(math.pi)
    assert not any((truth.is_off_treads, truth.is_fallen, truth.on_charger, cube.is_fallen))


@pytest.mark.parametrize(
    ("left", "right", "speed", "turn_rate"),
    [(-80, -80, -0.08, 0.0), (-69, 69, 0.0, 2.0), (65.5, 134.5, 0.1, 1.0)],
)
def test_velocities_are_those_of_the_body(
    left: float, right: float, speed: float, turn_rate: float
) -> None:
    bench = bench_in(ROOM)
    bench.send(DriveWheels(left, right))
    bench.run(4.0)
    truth = ground_truth(bench.firmware)
    assert (truth.speed, truth.turn_rate) == pytest.approx((speed, turn_rate), abs=0.003)
    bench.send(DriveWheels(0, 0))
    bench.run(1.0)
    truth = ground_truth(bench.firmware)
    assert (truth.speed, truth.turn_rate) == (0.0, 0.0)


def test_head_lift_and_camera_are_told() -> None:
    bench = bench_in(ROOM)
    bench.send(SetHeadAngle(0.3, 10.0, 20.0, 0.0, 1), SetLiftHeight(60.0, 10.0, 20.0, 0.0, 2))
    bench.run(2.0)
    truth = ground_truth(bench.firmware)
    assert truth.head_angle == pytest.approx(0.3, abs=0.01)
    assert truth.lift_height == pytest.approx(0.061, abs=0.001)
    # The camera looks down by 4 degrees at head angle 0 (spec 13 §3).
    assert truth.camera.elevation == pytest.approx(truth.head_angle - math.radians(4.0))
    assert 0.03 < truth.camera.z < 0.06


def test_off_its_treads_and_over_the_edge() -> None:
    bench = bench_in(TABLE)
    handling = bench.firmware.handling
    handling.pick_up()
    held = ground_truth(bench.firmware)
    assert (held.is_off_treads, held.is_fallen) == (True, False)
    handling.put_down()
    assert not ground_truth(bench.firmware).is_off_treads
    bench.send(DriveWheels(-200, -200))
    bench.run(4.0)
    fallen = ground_truth(bench.firmware)
    assert (fallen.is_off_treads, fallen.is_fallen, fallen.posture) == (True, True, "back")


def test_it_is_the_same_as_json_by_command_and_from_another_thread() -> None:
    with running_emulator(world=world(ROOM, **THINGS)) as emulator:
        answer = emulator.call(lambda firmware: perform(firmware, {"do": "truth"}))
        assert json.loads(json.dumps(answer)) == answer
        truth = emulator.truth()
        assert {**truth.as_json(), "stamp": 0} == {**answer, "stamp": 0}
        end = time.monotonic() + 20.0
        while emulator.truth().stamp == truth.stamp:
            assert time.monotonic() < end

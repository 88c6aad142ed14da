"""What the world does to a robot that drives in it."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.hardware import HARDWARE
from cozmo_driver.emulator.world.place import RECOVERED_AFTER, STRAINED_AFTER
from cozmo_driver.protocol.enums import MotorID
from cozmo_driver.protocol.messages import (
    CliffEvent,
    DriveWheels,
    EnableStopOnCliff,
    FallingStarted,
    FallingStopped,
    MotorAutoEnabled,
    PotentialCliff,
    RobotState,
    RobotStopped,
)

from ..bench import Bench
from .worlds import ROOM, TABLE, bench_in

_CLIFF, _FALLING, _PICKED_UP = 0x4000, 0x20, 0x8
WALL = {"points": [[0.2, -0.5], [0.2, 0.5]], "thickness": 0.01}
FRONT, REAR = 32.1, 55.9


def drive(bench: Bench, left: float, right: float, seconds: float) -> None:
    bench.send(DriveWheels(left, right))
    bench.run(seconds)


def test_a_wall_stops_the_body_while_the_treads_turn_on() -> None:
    bench = bench_in(ROOM, walls=[WALL])
    drive(bench, 100, 100, 3.0)
    pose = bench.state.pose
    assert pose.x == pytest.approx(195.0 - FRONT, abs=0.5)
    assert (pose.y, pose.angle) == pytest.approx((0.0, 0.0), abs=0.01)
    assert bench.state.left_speed == pytest.approx(100.0, abs=0.5)
    # The robot counts its treads' turns: it believes to be beyond the wall.
    assert bench.last_state().pose.x > 250.0


def ahead(state: RobotState) -> float:
    """Return the acceleration ahead without the sensor's bias, mm/s^2."""
    c, s = math.cos(state.head_angle), math.sin(state.head_angle)
    bias_x, _, bias_z = HARDWARE["1.5"].accel_bias
    return (state.accel.x - bias_x) * c - (state.accel.z - bias_z) * s


def test_a_moment_of_the_accelerometer_may_miss_the_wall_and_then_feels_the_body_swing() -> None:
    hard, swung = [], []
    for phase in range(6):
        bench = bench_in(ROOM, walls=[WALL])
        bench.run(0.005 * phase)
        bench.forget()
        drive(bench, 100, 100, 3.0)
        felt = [ahead(state) for state in bench.got(RobotState)]
        hit = next(i for i, value in enumerate(felt) if i > 20 and abs(value) > 500.0)
        assert max(map(abs, felt[20:hit])) < 100.0
        assert max(map(abs, felt[-15:])) < 100.0
        hard.append(min(felt[hit : hit + 2]))
        swung.append(max(map(abs, felt[hit + 1 : hit + 4])))
    # It lasts for 10 of the 30 ms between two states: 100 mm/s in 10 ms.
    assert 1 <= sum(value < -10_000.0 for value in hard) <= 3
    assert all(1000.0 < value < 5000.0 for value in swung)


def test_backwards_it_is_stopped_by_its_back() -> None:
    bench = bench_in(ROOM, boxes=[{"x": -0.2, "y": 0.0, "size": [0.1, 0.1, 0.1]}])
    drive(bench, -100, -100, 2.0)
    assert bench.state.pose.x == pytest.approx(-150.0 + REAR, abs=0.5)


def test_a_wall_met_at_an_angle_turns_the_robot_along_it_as_its_gyro_tells() -> None:
    bench = bench_in(ROOM, walls=[WALL], robots=[{"x": 0.0, "y": 0.0, "yaw": 60}])
    drive(bench, 100, 100, 6.0)
    assert math.degrees(bench.state.pose.angle) > 80.0
    turned = max(
        s.gyro.x * math.sin(s.head_angle) + s.gyro.z * math.cos(s.head_angle)
        for s in bench.got(RobotState)
    )
    assert turned > 0.2


def test_in_a_corridor_the_robot_cannot_turn_about() -> None:
    walls = [{"points": [[-0.5, y], [0.5, y]], "thickness": 0.01} for y in (-0.04, 0.04)]
    bench = bench_in(ROOM, walls=walls)
    drive(bench, -60, 60, 3.0)
    assert abs(math.degrees(bench.state.pose.angle)) < 20.0
    assert max(abs(s.gyro.z) for s in bench.got(RobotState)[-20:]) < 0.02


def test_treads_that_turn_in_vain_are_switched_off_and_on_again() -> None:
    bench = bench_in(ROOM, walls=[WALL])
    drive(bench, 100, 100, 2.0)
    assert not bench.got(MotorAutoEnabled)
    bench.run(STRAINED_AFTER)
    off = bench.got(MotorAutoEnabled)
    assert {(m.motor_id, m.enabled) for m in off} == {
        (MotorID.LEFT_WHEEL, False),
        (MotorID.RIGHT_WHEEL, False),
    }
    drive(bench, -100, -100, 0.5)
    assert bench.state.left_speed == 0.0
    bench.run(RECOVERED_AFTER)
    assert [m.enabled for m in bench.got(MotorAutoEnabled)] == [False, False, True, True]
    x = bench.state.pose.x
    drive(bench, -100, -100, 0.5)
    assert bench.state.pose.x < x - 30.0


def test_driving_freely_never_strains_the_motors() -> None:
    bench = bench_in(ROOM)
    drive(bench, 60, 80, 10.0)
    assert not bench.got(MotorAutoEnabled)


def test_at_the_table_s_edge_the_reflex_saves_the_robot() -> None:
    bench = bench_in(TABLE)
    drive(bench, 150, 150, 4.0)
    state = bench.state
    assert 295.0 <= state.pose.x + 5.0 < 320.0
    assert state.left_speed == state.right_speed == 0.0
    assert len(bench.got(RobotStopped)) == 1
    assert [(m.detected_flags, m.did_stop_for_cliff) for m in bench.got(CliffEvent)] == [(1, True)]
    assert bench.last_state().status & _CLIFF
    assert not bench.got(FallingStarted)
    drive(bench, -60, -60, 1.0)
    assert not bench.last_state().status & _CLIFF


def test_the_sensor_s_reading_falls_over_some_millimetres_at_the_edge() -> None:
    bench = bench_in(TABLE)
    readings = {}
    for x in (290.0, 293.0, 295.0, 297.0, 300.0):
        bench.firmware.ground.put_down(Pose2D(x))
        bench.run(0.1)
        readings[x] = bench.last_state().cliff_data_raw[0]
    assert readings[290.0] in (872, 873)
    assert readings[300.0] == 8
    assert 872 > readings[293.0] > readings[295.0] > readings[297.0] > 8
    assert readings[295.0] == pytest.approx(444, abs=80)


def test_without_the_reflex_the_robot_falls_on_its_face_beyond_the_edge() -> None:
    bench = bench_in(TABLE)
    bench.send(EnableStopOnCliff(False))
    drive(bench, 150, 150, 4.0)
    assert bench.got(PotentialCliff)
    (started,), (stopped,) = bench.got(FallingStarted), bench.got(FallingStopped)
    assert stopped.duration_ms == 300
    assert stopped.timestamp - started.timestamp == pytest.approx(300, abs=35)
    falling = [s for s in bench.got(RobotState) if s.status & _FALLING]
    assert falling
    assert all(math.hypot(s.accel.x, s.accel.y, s.accel.z) < 2000 for s in falling[1:-1])
    state = bench.last_state()
    assert math.degrees(state.pose.pitch) == pytest.approx(-86, abs=7)
    assert state.status & _PICKED_UP
    assert bench.state.pose.x > 350.0


def test_backwards_over_the_edge_it_lands_on_its_back() -> None:
    bench = bench_in(TABLE)
    drive(bench, -150, -150, 4.0)
    assert bench.got(FallingStopped)
    assert math.degrees(bench.last_state().pose.pitch) == pytest.approx(74.5, abs=5)


def test_a_hole_is_an_edge_too() -> None:
    bench = bench_in(ROOM, holes=[{"rectangle": [0.2, -0.1, 0.3, 0.1]}])
    drive(bench, 100, 100, 4.0)
    assert bench.got(RobotStopped)
    assert bench.state.pose.x < 215.0


def test_a_dark_floor_reads_dark_without_being_an_edge() -> None:
    rug = {"rectangle": [0.1, -0.2, 0.4, 0.2], "reflectance": 520}
    bench = bench_in({"floor": [*ROOM["floor"], rug]})
    drive(bench, 100, 100, 2.0)
    assert bench.last_state().cliff_data_raw[0] in (512, 513)
    assert not bench.got(RobotStopped)
    assert bench.state.pose.x > 150.0

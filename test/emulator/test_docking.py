"""The firmware's docking on the wire: the cases of spec 16 §7, and what the world makes of it."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.commands import perform
from cozmo_driver.protocol import Message
from cozmo_driver.protocol.enums import DockAction, UpAxis
from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.protocol.messages import (
    AbortDocking,
    CheckLiftLoad,
    DockingErrorSignal,
    DockingStatus,
    DriveWheels,
    LiftLoad,
    MovingLiftPostDock,
    ObjectMoved,
    ObjectStoppedMoving,
    ObjectUpAxisChanged,
    PickAndPlaceResult,
    PlaceObjectOnGround,
    RobotState,
    StopAllMotors,
)

from .bench import Bench
from .docking import docking_bench, face_of, guide, request
from .world.test_cubes import connect_cubes

SHIFTED = Callable[[DockingErrorSignal], DockingErrorSignal]


def cube(bench: Bench, number: int = 1):
    return bench.firmware.place.world.cube(number).place


def is_over(bench: Bench) -> Callable[[], bool]:
    """Return what tells that the robot is idle again after a result."""
    return lambda: bool(bench.got(PickAndPlaceResult)) and not bench.firmware.docking.is_busy


def dock(bench: Bench, action: DockAction, method: int | None = None, **options) -> None:
    """Dock with a cube until the robot is idle again."""
    request(bench, action, method)
    guide(bench, 12.0, until=is_over(bench), **options)


def outcome(bench: Bench) -> tuple[bool, int]:
    """Return the result that the robot sent, once, and its block status."""
    (result,) = bench.got(PickAndPlaceResult)
    return result.did_succeed, result.block_status


def time_of(bench: Bench, kind: type[Message]) -> float:
    (time,) = bench.times_of(kind)
    return time


def times_with(bench: Bench, flag: Flag) -> list[float]:
    """Return when states with a status bit arrived."""
    return [t for t, m in bench.received if isinstance(m, RobotState) and m.status & flag]


def shifted(y: float, nearest: float = 0.0) -> SHIFTED:
    """Return what puts a cube aside, mm, for signals from nearer than ``nearest`` on."""
    return lambda m: m._replace(y_hor_err=m.y_hor_err + y) if m.x_dist_err < nearest else m


# -- pick up, put down, stack, roll


def test_a_cube_is_picked_up_in_the_order_and_time_of_the_robot() -> None:
    bench = docking_bench()
    connect_cubes(bench, 1)
    start = bench.time
    dock(bench, DockAction.PICKUP_LOW)
    bench.run(0.1)
    lifted, told = time_of(bench, MovingLiftPostDock), time_of(bench, PickAndPlaceResult)
    assert outcome(bench) == (True, 2)
    assert 1.8 <= lifted - start <= 2.4
    assert 0.7 <= told - lifted <= 1.0
    assert bench.got(LiftLoad) == [LiftLoad(True)]
    assert time_of(bench, LiftLoad) - told <= 0.6
    busy, path = times_with(bench, Flag.IS_PICKING_OR_PLACING), times_with(bench, Flag.IS_PATHING)
    assert min(busy) < min(path) < max(path) <= lifted + 0.05
    # Backing out takes a second.
    assert max(busy) - told == pytest.approx(1.0, abs=0.1)
    assert min(times_with(bench, Flag.IS_CARRYING_BLOCK)) == pytest.approx(told, abs=0.05)
    held = cube(bench)
    assert held.pose.seen_from(bench.state.pose).x == pytest.approx(31.3, abs=1.0)
    assert held.bottom + 22.0 == pytest.approx(79.5, abs=1.5)
    assert bench.times_of(ObjectMoved)[0] < told


def test_a_carried_cube_goes_along_and_is_put_down() -> None:
    bench = docking_bench()
    dock(bench, DockAction.PICKUP_LOW)
    bench.forget()
    bench.send(DriveWheels(-80, 80))
    bench.run(1.0)
    bench.send(DriveWheels(0, 0))
    bench.run(0.8)
    assert cube(bench).pose.seen_from(bench.state.pose).x == pytest.approx(31.3, abs=1.0)
    assert abs(bench.state.pose.angle) > 1.0
    start, before = bench.time, bench.state.pose
    bench.send(PlaceObjectOnGround())
    bench.run(2.5)
    assert outcome(bench) == (True, 1)
    assert time_of(bench, PickAndPlaceResult) - start <= 1.1
    assert not bench.last_state().status & (Flag.IS_CARRYING_BLOCK | Flag.IS_PICKING_OR_PLACING)
    assert bench.state.pose.seen_from(before).x == pytest.approx(-35.0, abs=3.0)
    assert cube(bench).bottom == 0.0
    # It was set down where the fork is when it is low (spec 16 §2.5).
    assert cube(bench).pose.seen_from(before).x == pytest.approx(50.5, abs=2.0)


def test_the_lift_rises_on_the_way_to_an_upper_cube() -> None:
    bench = docking_bench({"number": 2, "on_cube": 1})
    request(bench, DockAction.PICKUP_HIGH)
    guide(bench, 12.0, cube=2, until=lambda: face_of(bench)[0].x < 88.0)
    low = bench.state.lift_height
    guide(bench, 12.0, cube=2, until=lambda: bool(bench.got(MovingLiftPostDock)))
    assert low < 36.0
    assert bench.state.lift_height > 58.0


@pytest.mark.parametrize("action", [DockAction.ROLL_LOW, DockAction.DEEP_ROLL_LOW])
def test_a_cube_is_rolled_towards_the_robot(action: DockAction) -> None:
    bench = docking_bench()
    connect_cubes(bench, 1)
    dock(bench, action)
    bench.run(1.0)
    assert outcome(bench) == (True, 1)
    assert cube(bench).up_axis is UpAxis.X_POSITIVE
    assert cube(bench).bottom == pytest.approx(0.0, abs=1e-6)
    assert bench.got(ObjectUpAxisChanged)[-1].up_axis == UpAxis.X_POSITIVE
    assert len(bench.got(ObjectMoved)) == len(bench.got(ObjectStoppedMoving))
    assert face_of(bench)[0].x > 30.0


def test_what_a_roll_cannot_hook_stays_as_it_is() -> None:
    bench = docking_bench()
    dock(bench, DockAction.ROLL_LOW, signal=lambda m: m._replace(y_hor_err=m.y_hor_err + 15.0))
    assert outcome(bench) == (True, 1)
    assert cube(bench).up_axis is UpAxis.Z_POSITIVE


def test_the_robot_falls_on_its_face_over_a_cube_and_not_without_one() -> None:
    bench = docking_bench()
    dock(bench, DockAction.FACE_PLANT)
    assert outcome(bench) == (True, 0)
    bench = docking_bench()
    bench.firmware.place.world.move_cube(1, Pose2D(500.0, 0.0))
    nothing = DockingErrorSignal(0, 120.0, 0.0, 22.0, 0.0)
    request(bench, DockAction.FACE_PLANT, 3)
    bench.run(0.3)
    bench.send(nothing)
    bench.run(6.0)
    assert outcome(bench) == (False, 0)


# -- what goes wrong


def test_a_cube_aside_at_the_end_is_reached_by_a_nudge() -> None:
    bench = docking_bench()
    dock(bench, DockAction.PICKUP_LOW, signal=shifted(8.0, 60.0))
    assert [m.status for m in bench.got(DockingStatus)] == [1]
    assert outcome(bench)[0]


def test_a_cube_too_far_aside_is_given_up_and_the_robot_backs_out() -> None:
    bench = docking_bench()
    dock(bench, DockAction.PICKUP_LOW, signal=shifted(30.0, 35.0))
    assert [m.status for m in bench.got(DockingStatus)] == [0]
    assert outcome(bench) == (False, 2)
    assert not bench.last_state().status & Flag.IS_CARRYING_BLOCK
    # It came as far as 100 mm, less 60 in the time of which 5 are lost by a late and slow start.
    assert bench.state.pose.x == pytest.approx(101.6 - 55.0, abs=3.0)


def test_signals_that_cease_too_early_stop_the_robot() -> None:
    bench = docking_bench()
    request(bench, DockAction.PICKUP_LOW)
    guide(bench, 5.0, until=lambda: face_of(bench)[0].x < 100.0)
    ceased = bench.time
    bench.run(0.8)
    assert bench.firmware.wheels.stand
    bench.run(3.0)
    assert outcome(bench) == (False, 2)
    assert time_of(bench, PickAndPlaceResult) - ceased == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(
    ("change", "after"), [({"z_height": 90.0}, 0.4), ({"angle_err": math.radians(70.0)}, 1.2)]
)
def test_what_cannot_be_docked_with_is_given_up(change: dict[str, float], after: float) -> None:
    bench = docking_bench()
    start = bench.time
    dock(bench, DockAction.PICKUP_LOW, signal=lambda m: m._replace(**change))
    assert outcome(bench) == (False, 2)
    assert time_of(bench, PickAndPlaceResult) - start == pytest.approx(after, abs=0.25)
    assert bench.state.pose.x < 0.0


def test_the_time_of_the_picture_is_what_counts() -> None:
    """Signals come while the robot turns, and refer to where it was."""
    bench = docking_bench()
    bench.firmware.place.world.move_cube(1, Pose2D(140.0, 20.0, 0.15))
    dock(bench, DockAction.ALIGN, 1)
    fast = bench.state.pose.seen_from(cube(bench).pose)
    late = docking_bench()
    late.firmware.place.world.move_cube(1, Pose2D(140.0, 20.0, 0.15))
    perform(late.firmware, {"do": "docking-faults", "delay": 0.2})
    dock(late, DockAction.ALIGN, 1)
    slow = late.state.pose.seen_from(cube(late).pose)
    assert (slow.x, slow.y) == pytest.approx((fast.x, fast.y), abs=2.0)
    assert abs(slow.y) < 3.0


@pytest.mark.parametrize(("method", "is_caught"), [(2, True), (0, False)])
def test_a_cube_that_is_moved_is_followed_by_one_method(method: int, is_caught: bool) -> None:
    bench = docking_bench()
    request(bench, DockAction.PICKUP_LOW, method)
    guide(bench, 5.0, until=lambda: face_of(bench)[0].x < 100.0)
    bench.firmware.place.world.move_cube(1, Pose2D(150.0, 20.0))
    guide(bench, 8.0, until=is_over(bench))
    bench.run(0.5)
    assert [m.has_load for m in bench.got(LiftLoad)] == [is_caught]
    assert (cube(bench).bottom > 0.0) is is_caught


def test_a_docking_can_be_aborted_while_it_approaches_only() -> None:
    bench = docking_bench()
    request(bench, DockAction.PICKUP_LOW)
    guide(bench, 5.0, until=lambda: bench.state.pose.x > 20.0)
    where = bench.state.pose.x
    bench.send(AbortDocking())
    bench.run(0.5)
    bench.send(AbortDocking())
    bench.run(2.0)
    assert outcome(bench) == (False, 2)
    assert bench.state.pose.x == pytest.approx(where - 52.0, abs=6.0)
    bench.forget()
    request(bench, DockAction.PICKUP_LOW)
    guide(bench, 5.0, until=lambda: bench.state.pose.x > 20.0)
    where = bench.state.pose.x
    bench.send(AbortDocking(), StopAllMotors())
    bench.run(2.0)
    assert bench.state.pose.x == pytest.approx(where, abs=8.0)
    assert not bench.firmware.docking.is_busy


def test_a_cube_that_sticks_or_is_taken_away_is_felt() -> None:
    bench = docking_bench()
    dock(bench, DockAction.PICKUP_LOW)
    perform(bench.firmware, {"do": "docking-faults", "lift": "sticky"})
    bench.send(PlaceObjectOnGround())
    bench.run(2.5)
    bench.send(CheckLiftLoad())
    bench.run(0.6)
    assert perform(bench.firmware, {"do": "status"})["cubes"]["1"]["held"]
    bench.firmware.place.world.move_cube(1, Pose2D(300.0, 300.0))
    bench.send(CheckLiftLoad())
    bench.run(0.6)
    assert [m.has_load for m in bench.got(LiftLoad)] == [True, True, False]
    assert cube(bench).bottom == 0.0


def test_a_cube_falls_out_of_a_robot_that_is_turned_over() -> None:
    bench = docking_bench()
    dock(bench, DockAction.PICKUP_LOW)
    bench.firmware.handling.put(bench.firmware.handling.posture.BACK)
    bench.run(0.2)
    assert cube(bench).bottom == 0.0
    assert bench.firmware.place.fork.cube is None

from __future__ import annotations

import dataclasses

import pytest

from cozmo_driver.emulator import Posture
from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.protocol.messages import SetCliffDetectThreshold
from cozmo_driver.robot import OffTreads, RobotState
from cozmo_driver.robot.motion.cliff import (
    CAREFUL,
    SUSPICIOUS,
    USUAL,
    CliffThresholdSchedule,
)

from .hands import act, set_on_dark_floor, with_robot
from .states import state

PERIOD = 0.03
ON_CHARGER = int(Flag.IS_ON_CHARGER)


class Ride:
    """A schedule that is shown states every 30 ms."""

    def __init__(self) -> None:
        self.schedule = CliffThresholdSchedule()
        self.count = 0

    def show(self, *raws: int, speed: float = 0.1, **more: object) -> int:
        """Show a state for each reading, at a speed in m/s; return the last threshold."""
        level = 0
        for raw in raws:
            shown: RobotState = state(left_wheel_speed=speed, right_wheel_speed=speed, **more)
            level = self.schedule.update(
                dataclasses.replace(shown, robot_time=self.count * PERIOD, cliff_raw=(raw, 0, 0, 0))
            )
            self.count += 1
        return level

    def drive(self, distance: float, *, raw: int = 880, speed: float = 0.1) -> int:
        """Drive a distance in m; return the last threshold."""
        return self.show(*[raw] * round(distance / abs(speed) / PERIOD), speed=speed)


def test_a_session_begins_carefully_and_is_usual_after_50_mm() -> None:
    ride = Ride()
    assert ride.show(880, 880, speed=0.0) == CAREFUL
    assert ride.drive(0.045) == CAREFUL
    assert ride.drive(0.009) == USUAL


def test_on_the_charger_and_on_its_platform_it_is_careful() -> None:
    ride = Ride()
    ride.drive(0.2)
    assert ride.show(880, flags=ON_CHARGER) == CAREFUL
    assert ride.drive(0.09) == CAREFUL
    assert ride.drive(0.012) == USUAL


def test_put_down_it_is_usual_even_before_it_has_moved() -> None:
    ride = Ride()
    ride.show(8, speed=0.0, off_treads=OffTreads.IN_AIR)
    assert ride.show(880, speed=0.0) == USUAL


PATTERN = [880, 880, 300, 880, 500] * 30


def dark_strip(ride: Ride, *after: int, speed: float = 0.02) -> int:
    """Drive over a patterned floor, let the robot stop itself, show readings after that."""
    ride.show(*PATTERN)
    ride.schedule.stopped()
    return ride.show(*after, speed=speed)


def test_a_patterned_floor_that_brightens_while_the_robot_stops_is_suspicious() -> None:
    ride = Ride()
    assert dark_strip(ride, 320, 300, 314) == USUAL
    assert ride.show(315) == SUSPICIOUS
    assert ride.drive(1.0) == SUSPICIOUS
    assert ride.show(8, off_treads=OffTreads.IN_AIR) == USUAL


def test_an_edge_stays_dark_and_is_believed() -> None:
    assert dark_strip(Ride(), *[8] * 40) == USUAL


def test_a_uniform_floor_is_believed() -> None:
    ride = Ride()
    ride.show(*[380, 420] * 60)
    ride.schedule.stopped()
    assert ride.show(380, 420, speed=0.0) == USUAL


def test_brightening_while_backing_off_proves_nothing() -> None:
    ride = Ride()
    dark_strip(ride, 300, 300)
    assert ride.show(*[880] * 20, speed=-0.05) == USUAL


def test_brightening_long_after_the_stop_proves_nothing() -> None:
    assert dark_strip(Ride(), *[300] * 40, 880, speed=0.0) == USUAL


# -- on the wire


def thresholds(world):
    return [message.detect_level for message in world.wire.received(SetCliffDetectThreshold)]


@with_robot()
async def test_the_robot_is_told_the_schedule(world):
    await world.until(lambda: thresholds(world))
    assert thresholds(world) == [CAREFUL]
    world.robot.motion.drive(0.1, 0.0)
    await world.until(lambda: len(thresholds(world)) > 1)
    assert thresholds(world) == [CAREFUL, USUAL]
    assert world.robot.odometry.pose.x == pytest.approx(0.055, abs=0.01)
    act(world, lambda f: f.battery.put_on_charger(True))
    await world.until(lambda: world.robot.cliff_threshold.current == CAREFUL)
    world.robot.motion.stop()
    act(world, lambda f: f.handling.put(Posture.HELD))
    await world.until(lambda: world.robot.cliff_threshold.current == USUAL)
    assert act(world, lambda f: f.ground.threshold) == USUAL


@with_robot()
async def test_a_new_session_begins_carefully(world):
    world.robot.motion.drive(0.1, 0.0)
    await world.until(lambda: world.robot.cliff_threshold.current == USUAL)
    world.robot.motion.stop()
    await world.reconnect()
    await world.until(lambda: world.robot.cliff_threshold.current == CAREFUL)


@with_robot(cliff_threshold=120)
async def test_a_threshold_of_the_users_holds_in_every_session(world):
    world.robot.motion.drive(0.1, 0.0)
    await world.until(lambda: world.robot.odometry.pose.x > 0.1)
    world.robot.motion.stop()
    assert thresholds(world) == [120]
    await world.reconnect(restart=True)
    await world.until(lambda: act(world, lambda f: f.ground.threshold) == 120)
    world.robot.cliff_threshold.set(90)
    await world.until(lambda: act(world, lambda f: f.ground.threshold) == 90)
    world.robot.cliff_threshold.set(0)
    await world.until(lambda: act(world, lambda f: f.ground.threshold) == CAREFUL)


@with_robot()
async def test_after_a_suspicious_floor_the_robot_may_drive_on_at_once(world):
    robot = world.robot
    robot.motion.drive(0.15, 0.0)
    for step in range(200):
        if robot.cliff.is_forward_forbidden:
            break
        # Dark lines that are just bright enough, then one that is not.
        dark = 350 if step >= 90 else 450
        act(world, lambda f, d=dark, s=step: f.ground.set_floor(880 if s % 2 else d))
        await world.pass_time(PERIOD)
    assert robot.cliff.is_forward_forbidden
    act(world, lambda f: f.ground.set_floor(390))
    await world.until(lambda: robot.cliff_threshold.current == SUSPICIOUS)
    await world.until(lambda: not robot.cliff.is_forward_forbidden)
    robot.motion.drive(0.05, 0.0)
    start = robot.odometry.pose.x
    await world.until(lambda: robot.odometry.pose.x > start + 0.05)


@with_robot()
async def test_dark_joints_of_a_dark_floor_that_the_driver_stops_at_make_it_suspicious(world):
    robot = world.robot
    await set_on_dark_floor(world, 560)
    stops = []
    robot.cliff.on_stop.connect(stops.append)
    while robot.cliff_threshold.current != SUSPICIOUS:
        assert len(stops) < 10
        robot.motion.drive(-0.1, 0.0)
        await world.until(lambda: not robot.cliff.is_forward_forbidden)
        robot.motion.drive(0.1, 0.0)
        await world.until(lambda: robot.odometry.linear_velocity > 0.09)
        act(world, lambda f: f.ground.set_floor(120))
        await world.until(lambda: robot.cliff.is_forward_forbidden)
        act(world, lambda f: f.ground.set_floor(560))
        await world.pass_time(0.2)
    assert set(stops) == {True}

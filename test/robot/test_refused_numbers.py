"""Numbers that no robot can do are refused, whatever they are for, and nothing is sent for them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import inf, nan

import pytest

from cozmo_driver.robot import (
    Arc,
    AudioStreamOptions,
    Color,
    CubeLights,
    DockAction,
    DriveLimits,
    LightState,
    Line,
    Pose2D,
    Turn,
    uniform_lights,
)
from cozmo_driver.robot.lights import DARK
from cozmo_driver.robot.motion.cliff import CliffThreshold

from .hands import with_robot


@pytest.mark.parametrize(
    "ask",
    [
        lambda robot: robot.audio.set_volume(1.01),
        lambda robot: robot.audio.set_volume(nan),
        lambda robot: robot.cliff_threshold.set(-1),
        lambda robot: CliffThreshold(robot.session, 801),
        lambda robot: robot.docking.dock(DockAction.PICKUP_LOW, speed=nan),
        lambda robot: robot.docking.dock(DockAction.PICKUP_LOW, speed=0.0),
        lambda robot: robot.docking.dock(DockAction.PICKUP_LOW, acceleration=-1.0),
        lambda robot: robot.docking.dock(DockAction.PICKUP_LOW, offset=(inf, 0.0)),
        lambda robot: robot.joints.move_head(nan),
        lambda robot: robot.joints.move_head(0.1, speed=0.0),
        lambda robot: robot.joints.move_lift(0.05, acceleration=-1.0),
        lambda robot: robot.joints.move_lift(0.05, duration=-1.0),
        lambda robot: robot.joints.set_head_angle(inf),
        lambda robot: robot.localization.set_odometry(Pose2D(0.0, inf)),
        lambda robot: robot.localization.set_odometry(Pose2D(0.0, 0.0, nan)),
        lambda robot: robot.maneuvers.drive_distance(nan),
        lambda robot: robot.maneuvers.drive_distance(1000.0),
        lambda robot: robot.maneuvers.drive_distance(0.1, speed=nan),
        lambda robot: robot.maneuvers.go_to_pose(Pose2D(nan)),
        lambda robot: robot.motion.drive(nan, 0.0),
        lambda robot: robot.turns.turn(nan),
        lambda robot: robot.turns.turn(1.0, speed=0.0),
        lambda robot: robot.turns.turn(1.0, tolerance=0.0),
    ],
)
@with_robot()
async def test_it_is_refused(world, ask):
    await world.pass_time(0.1)
    world.wire.log.clear()

    async def wait() -> None:
        asked = ask(world.robot)
        if inspect.isawaitable(asked):
            await asked

    with pytest.raises(ValueError, match=r"not|absurd"):
        await wait()
    await world.pass_time(0.1)
    assert world.wire.log == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: Arc((0.0, 0.0), 0.0, 0.0, 1.0),
        lambda: Arc((0.0, 0.0), 0.1, 0.0, 10.0),
        lambda: Line((0.0, nan), (1.0, 0.0)),
        lambda: Line((0.0, 0.0), (1.0, 0.0), speed=3.0),
        lambda: Line((0.0, 0.0), (1.0, 0.0), acceleration=-1.0),
        lambda: Turn((0.0, 0.0), inf),
        lambda: Turn((0.0, 0.0), 0.0, tolerance=0.0),
        lambda: AudioStreamOptions(latency=0.1),
        lambda: AudioStreamOptions(latency=nan),
        lambda: AudioStreamOptions(capacity=0.2),
        lambda: AudioStreamOptions(end_after=0.0),
        lambda: Color(red=-0.01),
        lambda: Color(blue=nan),
        lambda: Color(alpha=1.01),
        lambda: CubeLights((DARK,) * 3),
        lambda: uniform_lights(DARK, rotation_period=8.0),
        lambda: LightState(on_duration=7.66),
        lambda: LightState(fade_out=nan),
        lambda: LightState(offset=1000.0),
        lambda: DriveLimits(wheel_speed=-1),
        lambda: DriveLimits(acceleration=11),
        lambda: DriveLimits(track_width=0),
        lambda: DriveLimits(yaw_rate=nan),
    ],
)
def test_it_cannot_even_be_made(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"not|absurd|above"):
        make()

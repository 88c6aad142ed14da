"""Who has head, lift and wheels while a clip plays, and what ends it."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.protocol.messages import (
    BodyMotion,
    DisableAnimTracks,
    EnableAnimTracks,
    HeadAngle,
    MotorAutoEnabled,
)
from cozmo_driver.resources.clips import AnimationClip
from cozmo_driver.resources.keyframes import BodyMotion as BodyKeyframe
from cozmo_driver.resources.keyframes import HeadAngle as HeadKeyframe
from cozmo_driver.resources.keyframes import LiftHeight
from cozmo_driver.robot import Owner, Reason, RobotError

from ..robot.hands import act, is_standing, outcome, with_robot
from ..robot.sounds import silent
from .clips import face, player

SECONDS = 4
STEPS = range(0, SECONDS * 1000, 100)


def restless(name="restless"):
    """A clip that moves everything for some seconds: forward, backward, up, down."""
    return AnimationClip(
        name,
        head_angle=tuple(HeadKeyframe(t, 90, 20 if t % 200 else -10) for t in STEPS),
        lift_height=tuple(LiftHeight(t, 90, 80 if t % 200 else 40) for t in STEPS),
        body_motion=tuple(BodyKeyframe(t, 90, "STRAIGHT", 60 if t % 200 else -60) for t in STEPS),
        procedural_face=(face(0), face(SECONDS * 1000, 12.0)),
    )


def drives(name, speed=60, duration=3000):
    return AnimationClip(name, body_motion=(BodyKeyframe(0, duration, "STRAIGHT", speed),))


def play(world, folder, *clips, **options):
    return asyncio.ensure_future(player(world, folder, *clips).play(clips[0].name, **options))


def executed(world, kind):
    """Times of the keyframes of a class that the robot carried out."""
    recording = world.firmware.animation.recording
    return [k.time for k in recording.keyframes if isinstance(k.message, kind) and k.is_executed]


@with_robot()
async def test_while_a_clip_moves_them_head_lift_and_wheels_are_the_animations(world, tmp_path):
    motion = world.robot.motion
    task = play(world, tmp_path, restless())
    await world.until(lambda: world.robot.status.is_animating)
    actuators = (motion.wheels, motion.joints.head, motion.joints.lift)
    assert [actuator.owner for actuator in actuators] == [Owner.ANIMATION] * 3
    assert (await task).left_out == {}
    assert [actuator.owner for actuator in actuators] == [Owner.NONE] * 3
    assert world.wire.received(DisableAnimTracks) == []


@with_robot()
async def test_cmd_vel_takes_the_wheels_for_the_rest_of_the_clip(world, tmp_path):
    motion = world.robot.motion
    task = play(world, tmp_path, restless())
    await world.until(lambda: len(executed(world, BodyMotion)) > 4)
    motion.drive(0.05, 0.0)
    await world.until(lambda: world.firmware.animation.truth().tracks == Track.ALL & ~Track.BODY)
    driven = len(executed(world, BodyMotion))
    await world.pass_time(0.5)
    assert world.robot.odometry.linear_velocity == pytest.approx(0.05, abs=0.01)
    motion.drive(0.0, 0.0)
    assert motion.wheels.owner is Owner.NONE
    await world.pass_time(0.5)
    assert is_standing(world)
    assert len(executed(world, BodyMotion)) == driven
    heads = len(executed(world, HeadAngle))
    await world.until(lambda: len(executed(world, HeadAngle)) > heads + 3)
    result = await task
    assert result.left_out == {"body": "cmd_vel took it"}
    await world.until(lambda: world.firmware.animation.truth().tracks == Track.ALL)
    assert world.wire.received(EnableAnimTracks)


@with_robot()
async def test_a_head_that_is_sent_somewhere_stays_there_to_the_end_of_the_clip(world, tmp_path):
    task = play(world, tmp_path, restless())
    await world.until(lambda: len(executed(world, HeadAngle)) > 4)
    world.robot.joints.set_head_angle(0.6)
    await world.until(lambda: world.robot.state.head_angle == pytest.approx(0.6, abs=0.03))
    await world.pass_time(1.0)
    assert not task.done()
    assert world.robot.state.head_angle == pytest.approx(0.6, abs=0.03)
    assert (await task).left_out == {"head": "cmd_head took it"}


@with_robot()
async def test_a_cancelled_clip_does_not_stop_the_action_that_took_its_wheels(world, tmp_path):
    task = play(world, tmp_path, restless())
    await world.until(lambda: len(executed(world, BodyMotion)) > 4)
    driving = asyncio.ensure_future(world.robot.maneuvers.drive_distance(0.2, speed=0.05))
    await world.pass_time(0.5)
    task.cancel()
    await outcome(task)
    assert await driving == pytest.approx(0.2, abs=0.01)


@with_robot()
async def test_what_somebody_moves_already_is_left_alone(world, tmp_path):
    driving = asyncio.ensure_future(world.robot.maneuvers.drive_distance(0.3, speed=0.05))
    await world.until(lambda: not is_standing(world))
    result = await play(world, tmp_path, restless())
    assert result.left_out == {"body": "drive_distance moves it"}
    assert executed(world, BodyMotion) == []
    assert executed(world, HeadAngle)
    await driving


@with_robot()
async def test_the_emergency_stop_ends_a_clip_and_forbids_the_next_one(world, tmp_path):
    playing = player(world, tmp_path, restless())
    task = asyncio.ensure_future(playing.play("restless"))
    await world.until(lambda: world.robot.status.is_animating)
    world.robot.motion.emergency_stop()
    error = await outcome(task)
    assert isinstance(error, RobotError)
    assert error.reason is Reason.ESTOP
    await world.until(lambda: is_standing(world))
    with pytest.raises(RobotError, match="release_stop") as refused:
        await playing.play("restless")
    assert refused.value.reason is Reason.ESTOP
    world.robot.motion.release_stop()
    assert (await playing.play("restless")).left_out == {}


@with_robot()
async def test_a_robot_that_is_lifted_stops_driving_and_the_rest_of_the_clip_goes_on(
    world, tmp_path
):
    task = play(world, tmp_path, restless())
    await world.until(lambda: len(executed(world, BodyMotion)) > 4)
    act(world, lambda f: f.ground.pick_up())
    await world.until(lambda: world.robot.state.is_off_ground)
    await world.pass_time(0.3)
    driven = len(executed(world, BodyMotion))
    result = await task
    assert len(executed(world, BodyMotion)) == driven
    assert list(result.left_out) == ["body"]
    assert result.loops_completed == 1


@with_robot({"on_charger": True})
async def test_on_the_charger_a_clip_does_not_drive(world, tmp_path):
    result = await play(world, tmp_path, restless())
    assert result.left_out == {"body": "the robot stands on its charger"}
    assert executed(world, BodyMotion) == []


@with_robot()
async def test_at_an_edge_a_clip_stops_and_one_that_backs_away_may_drive(world, tmp_path):
    playing = player(world, tmp_path, drives("forth"), drives("back", -60, 500))
    forth = asyncio.ensure_future(playing.play("forth"))
    await world.until(lambda: not is_standing(world))
    act(world, lambda f: f.ground.set_edge(True))
    await world.until(lambda: world.robot.cliff.is_forward_forbidden)
    await world.until(lambda: is_standing(world))
    assert list((await forth).left_out) == ["body"]
    forbidden = await playing.play("forth")
    assert forbidden.left_out == {}
    assert is_standing(world)
    before = world.robot.odometry.pose.x
    await playing.play("back")
    assert world.robot.odometry.pose.x < before - 0.015


@with_robot()
async def test_a_motor_that_the_protection_switched_off_is_left_alone(world, tmp_path):
    act(world, lambda f: f.core.send(MotorAutoEnabled(3, False)))
    await world.until(lambda: world.robot.motion.protection.disabled)
    result = await play(world, tmp_path, restless())
    [name] = result.left_out
    assert name in ("head", "lift")
    assert "overload protection" in result.left_out[name]


@with_robot()
async def test_a_motor_stop_keeps_the_motors_still_for_the_rest_of_the_clip(world, tmp_path):
    task = play(world, tmp_path, restless())
    await world.until(lambda: len(executed(world, BodyMotion)) > 4)
    world.robot.motion.stop()
    await world.until(lambda: not world.robot.state.is_moving)
    await world.pass_time(0.5)
    assert not world.robot.state.is_moving
    result = await task
    assert result.left_out == dict.fromkeys(("head", "lift", "body"), "it was stopped")
    await silent(world)
    assert world.firmware.animation.truth().tracks == Track.ALL


@with_robot()
async def test_a_clip_begins_without_its_driving_while_the_robot_is_held(world, tmp_path):
    act(world, lambda f: f.ground.pick_up())
    await world.until(lambda: world.robot.state.is_off_ground)
    result = await play(world, tmp_path, restless())
    assert "off the ground" in result.left_out["body"]
    assert executed(world, BodyMotion) == []
    assert executed(world, HeadAngle)

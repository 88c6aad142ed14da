from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from cozmo_driver.emulator import Posture
from cozmo_driver.emulator.hardware import IN_AIR
from cozmo_driver.protocol import messages
from cozmo_driver.protocol.enums import MotorID, RobotStatusFlag
from cozmo_driver.robot import (
    OffTreads,
    Owner,
    Pose2D,
    Reason,
    Refused,
    Robot,
    RobotState,
    Status,
)

from .hands import act, close, set_on_dark_floor, with_robot
from .virtual import record

MESSAGE = Path(__file__).parents[2] / "cozmo_interfaces" / "msg" / "RobotStatus.msg"
OTHER_NAMES = {
    "off_treads_state": "off_treads",
    "flags_raw": "flags",
    "pose_frame_id": "frame_id",
    "origin_transform": "origin",
    "animation": "clip",
}


def test_every_field_of_the_message_has_its_value():
    fields = re.findall(r"^(?!std_msgs)[\w/\[\]]+ (\w+)\s+#", MESSAGE.read_text(), re.M)
    assert len(fields) > 35
    for name in fields:
        assert hasattr(Status, OTHER_NAMES.get(name, name)) or hasattr(
            RobotState, OTHER_NAMES.get(name, name)
        ), name


@with_robot()
async def test_the_status_of_a_standing_robot(world):
    await world.until(lambda: world.robot.status)
    # The motors count as moving for a while after their calibration (spec 18).
    await world.pass_time(1.0)
    status = world.robot.status
    assert status.state.time == world.robot.state.time
    assert status.state.off_treads is OffTreads.ON_TREADS
    assert (status.is_head_calibrated, status.is_lift_calibrated) == (True, True)
    assert (status.state.is_moving, status.state.is_picked_up, status.is_animating) == (False,) * 3
    assert (status.is_stop_on_cliff_enabled, status.is_camera_enabled) == (True, False)
    assert (status.wheels_owner, status.face_owner) == (Owner.NONE, Owner.NONE)
    assert status.state.lift_height == pytest.approx(0.032, abs=0.001)
    assert status.state.cliff_raw[0] == pytest.approx(873, abs=2)
    assert status.state.origin_id == world.robot.localization.origin_id
    assert status.state.path_segment == -1


@with_robot()
async def test_measurements_alone_are_no_change(world):
    await world.until(lambda: world.robot.status)
    await world.pass_time(1.0)
    changes = record(world.robot.on_status)
    before = world.robot.status
    await world.pass_time(5.0)
    assert changes == []
    after = world.robot.status
    assert not after.is_change_from(before)
    assert after.state.time > before.state.time
    on_back = dataclasses.replace(after.state, off_treads=OffTreads.ON_BACK)
    assert dataclasses.replace(after, state=on_back).is_change_from(before)


def carry_and_hold(robot: Robot) -> None:
    robot.motion.holds_after_pickup = True
    robot.motion.carried()


@pytest.mark.parametrize(
    ("action", "condition"),
    [
        (lambda r: r.motion.drive(0.05, 0.0), lambda s: s.state.are_wheels_moving),
        (lambda r: r.motion.drive(0.05, 0.0), lambda s: s.wheels_owner is Owner.TOPIC),
        (lambda r: r.head_light.set(True), lambda s: s.is_head_light_on),
        (lambda r: r.camera.enable(True), lambda s: s.is_camera_enabled),
        (lambda r: r.cliff.enable(False), lambda s: not s.is_stop_on_cliff_enabled),
        (lambda r: r.motion.emergency_stop(), lambda s: s.is_emergency_stopped),
        (carry_and_hold, lambda s: s.is_held_after_pickup),
        (lambda r: r.joints.set_head_angle(0.5), lambda s: not s.state.is_head_in_position),
        (lambda r: setattr(r, "clip", "anim_x"), lambda s: s.clip == "anim_x"),
        (
            lambda r: r.localization.set_odometry(Pose2D(1.0, 2.0, 0.5)),
            lambda s: close(s.origin, Pose2D(1.0, 2.0, 0.5), 0.001, 0.001),
        ),
    ],
)
@with_robot()
async def test_what_the_driver_and_the_robot_do_is_a_change(world, action, condition):
    changes = record(world.robot.on_status)
    action(world.robot)
    await world.until(lambda: any(map(condition, changes)))


@with_robot()
async def test_an_edge_on_a_dark_floor_on_which_one_is_reported_all_the_time_is_a_change(
    world,
):
    await set_on_dark_floor(world)
    changes = record(world.robot.on_status)
    for floor, is_edge in ((IN_AIR, True), (520, False), (IN_AIR, True)):
        act(world, lambda f, floor=floor: f.ground.set_floor(floor))
        await world.until(lambda on=is_edge: any(one.is_cliff_detected is on for one in changes))
        assert all(one.state.is_cliff_detected for one in changes)
        changes.clear()


@pytest.mark.parametrize(
    ("action", "condition"),
    [
        (lambda f: f.handling.put(Posture.BACK), lambda s: s.state.off_treads is OffTreads.ON_BACK),
        (lambda f: f.handling.put(Posture.HELD), lambda s: s.state.is_picked_up),
        (lambda f: f.handling.fall(), lambda s: s.state.is_falling),
        (lambda f: f.ground.set_edge(True), lambda s: s.is_cliff_detected),
        (
            lambda f: f.battery.put_on_charger(True),
            lambda s: s.state.is_on_charger and s.state.is_charging,
        ),
        (
            lambda f: f.core.send(messages.MotorAutoEnabled(3, False)),
            lambda s: s.disabled_motors == {MotorID.HEAD},
        ),
        (lambda f: setattr(f.animation.state, "tag", 7), lambda s: s.is_animating),
    ],
)
@with_robot()
async def test_what_happens_to_the_robot_is_a_change(world, action, condition):
    changes = record(world.robot.on_status)
    act(world, action)
    await world.until(lambda: any(map(condition, changes)))


@with_robot({"calibration_time": 1.0})
async def test_a_head_that_is_being_calibrated_is_a_change(world):
    changes = record(world.robot.on_status)
    act(world, lambda f: f.joints.calibrate_head())
    await world.until(lambda: [s for s in changes if not s.is_head_calibrated])
    await world.until(lambda: changes[-1].is_head_calibrated)


@with_robot()
async def test_animating_follows_start_end_and_tag_of_a_clip_and_no_status_bit(world):
    core, send = world.firmware.core, world.firmware.core.send

    def send_without_tags(message, **options):
        """Send no AnimationState, and RobotStates with the bit that real robots never set."""
        if isinstance(message, messages.RobotState):
            message = message._replace(status=message.status | RobotStatusFlag.IS_ANIMATING)
        if not isinstance(message, messages.AnimationState):
            send(message, **options)

    core.send = send_without_tags
    await world.pass_time(0.2)
    assert not world.robot.status.is_animating
    for message, is_animating in (
        (messages.AnimationStarted(3), True),
        (messages.AnimationEnded(3), False),
        (messages.AnimationStarted(255), False),
        (messages.AnimationStarted(4), True),
    ):
        act(world, lambda f, message=message: send(message))
        await world.pass_time(0.2)
        assert world.robot.status.is_animating is is_animating
    # An overflow without AnimationEnded.
    core.send = send
    await world.until(lambda: not world.robot.status.is_animating)


@with_robot()
async def test_a_robot_that_is_held_moves_only_to_look_where_it_is(world):
    robot = world.robot
    await world.until(lambda: robot.status)
    carry_and_hold(robot)
    for moving in (robot.turns.turn(0.5), robot.maneuvers.drive_distance(0.03)):
        with pytest.raises(Refused) as refused:
            await moving
        assert refused.value.reason is Reason.PICKED_UP
    assert await robot.turns.turn(0.5, is_hold_ignored=True) == pytest.approx(0.5, abs=0.05)
    driven = await robot.maneuvers.drive_distance(0.03, is_hold_ignored=True)
    assert driven == pytest.approx(0.03, abs=0.005)
    assert robot.motion.is_held

"""Velocities of head and lift, calibration, and setting the odometry."""

from __future__ import annotations

import math
import os
import pty
import shutil
import subprocess
from typing import Any

import pytest
from geometry_msgs.msg import Point, Pose, Quaternion, Twist
from nav_msgs.msg import Odometry
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from cozmo_driver.bringup.drive import HOLD, Keys, key_by_key, read_keys, split
from cozmo_driver.protocol.messages import MoveHead, MoveLift
from cozmo_driver.robot import MAX_WHEEL_SPEED, MAX_YAW_RATE
from cozmo_driver.ros.geometry import quaternion, yaw_of
from cozmo_interfaces.msg import Reason
from cozmo_interfaces.srv import SetOdometry

from ..waiting import TIMEOUT, wait_until
from .conftest import World
from .graph import Inbox, twist


@pytest.mark.covers("cmd_head_velocity", "cmd_lift_velocity")
@pytest.mark.parametrize(
    ("topic", "name", "stopped"),
    [
        ("cmd_head_velocity", "MoveHead", MoveHead(0.0)),
        ("cmd_lift_velocity", "MoveLift", MoveLift(0.0)),
    ],
)
def test_a_joint_moves_at_a_speed_until_its_sender_falls_silent(
    world: World, topic: str, name: str, stopped: object
) -> None:
    publisher = world.graph.publisher(Float64, topic)
    before = world.emulator.state()

    def moves() -> bool:
        # What a busy robot sees of a single command may be its end only.
        publisher.publish(Float64(data=0.2))
        state = world.emulator.state()
        moved = (
            state.head_angle > before.head_angle + 0.02
            if name == "MoveHead"
            else state.lift_height > before.lift_height + 0.5
        )
        sent: Any = state.last_received.get(name)
        return bool(moved and sent[0] == pytest.approx(0.2))

    wait_until(moves, f"{topic} does not move it")
    world.emulator.wait_for(lambda state: state.last_received[name] == stopped)
    world.driver.wait_for_log(f"stopped: no {topic} for 0.5 s")


@pytest.mark.covers("calibrate_motors")
def test_the_motors_are_calibrated_on_request(world: World) -> None:
    before = world.emulator.state().received.get("StartMotorCalibration", 0)
    response = world.graph.call(Trigger, "calibrate_motors")
    assert response.success
    assert world.emulator.state().received["StartMotorCalibration"] == before + 1


@pytest.mark.covers("set_odometry", "odom")
def test_the_odometry_goes_on_from_the_pose_it_is_set_to(world: World) -> None:
    odometry = world.graph.listen(Odometry, "odom")
    odometry.collect(1)
    pose = Pose(position=Point(x=1.5, y=-2.0), orientation=quaternion(0.5))
    response = world.graph.call(SetOdometry, "set_odometry", SetOdometry.Request(pose=pose))
    assert (response.success, response.reason) == (True, Reason.NONE)
    pose = odometry.wait_for(lambda odom: odom.pose.pose.position.x > 1.0).pose.pose
    assert (pose.position.x, pose.position.y) == pytest.approx((1.5, -2.0), abs=1e-3)
    assert yaw_of(pose.orientation) == pytest.approx(0.5, abs=0.01)
    for bad in (Pose(position=Point(x=math.nan)), Pose(orientation=Quaternion(w=0.0))):
        response = world.graph.call(SetOdometry, "set_odometry", SetOdometry.Request(pose=bad))
        assert (response.success, response.reason) == (False, Reason.INVALID)


@pytest.mark.covers("backup_limit", "cmd_vel")
def test_the_limit_of_backing_up_stops_the_robot(world: World) -> None:
    assert not world.graph.set(backup_limit=0.03)
    publisher = world.graph.publisher(Twist, "cmd_vel")
    odometry = world.graph.listen(Odometry, "odom")
    before = world.emulator.state().driven

    def is_said() -> bool:
        publisher.publish(twist(-0.1))
        odometry.collect(1)
        return "backup_limit is 0.03 m; drive forward first" in world.driver.log

    try:
        wait_until(is_said, "nothing in the log")
        stopped = world.emulator.wait_for(lambda state: state.left_speed == 0.0)
        # The way of stopping, 0.15 s, is allowed for; a busy machine may need a second.
        assert 14.0 < abs(stopped.driven - before) < 150.0
        assert not world.graph.set(backup_limit=10.0)

        def goes_on() -> bool:
            publisher.publish(twist(-0.1))
            odometry.collect(1)
            return abs(world.emulator.state().driven - stopped.driven) > 5.0

        wait_until(goes_on, "a higher limit does not let the robot go on")
    finally:
        assert not world.graph.set(backup_limit=0.0)


# -- by keys


def hold(terminal: int, key: bytes, inbox: Inbox[Any]) -> Any:
    """Press a key again and again, as a terminal does for a held one, until a command comes."""

    def press() -> bool:
        os.write(terminal, key)
        return bool(inbox.messages)

    wait_until(press, "no command came")
    return inbox.messages[0]


@pytest.mark.covers("cmd_head_velocity")
def test_keys_in_a_terminal_drive_the_robot(world: World) -> None:
    graph = world.graph
    twists, heads = graph.listen(Twist, "cmd_vel"), graph.listen(Float64, "cmd_head_velocity")
    program = shutil.which("drive")
    assert program
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [program, "--keys", "--namespace", graph.namespace],
        stdin=theirs,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(theirs)
        try:
            assert process.stdout is not None
            while "Hold a key" not in process.stdout.readline():
                pass
            ahead = hold(ours, b"\x1b[A", twists)
            assert ahead.linear.x > 0.05
            assert ahead.angular.z == 0.0
            assert hold(ours, b"r", heads).data > 0.5
            # Nobody holds the keys: both end by themselves.
            twists.wait_for_latest(lambda twist: twist.linear.x == 0.0)
            heads.wait_for(lambda velocity: velocity.data == 0.0)
            os.write(ours, b"x")
            assert process.wait(TIMEOUT) == 0
            assert "moved 0." in process.stdout.read()
        finally:
            process.kill()
            os.close(ours)


def test_a_terminal_that_is_closed_ends_the_keys_and_nothing_else() -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as stream, key_by_key(stream) as terminal:
        os.close(ours)
        with pytest.raises(EOFError):
            read_keys(terminal, TIMEOUT)


# -- driving by the keyboard: what keys mean, and the command in a terminal of its own


X_REPEAT_DELAY = 0.66
"""How long a held key waits before it is repeated, s: of X without a desktop; others wait less."""


def test_a_key_counts_for_a_while_and_only_for_what_it_means() -> None:
    keys = Keys()
    keys.press("w", 10.0)
    assert keys.velocity("linear", 10.0) == pytest.approx(0.08)
    assert keys.velocity("linear", 10.0 + X_REPEAT_DELAY) > 0.0
    assert keys.velocity("angular", 10.0) == 0.0
    assert keys.velocity("linear", 10.0 + 0.99 * HOLD) > 0.0
    assert keys.velocity("linear", 10.0 + HOLD) == 0.0
    keys.press("s", 20.0)
    keys.press("d", 20.1)
    assert keys.velocity("linear", 20.2) < 0.0
    assert keys.velocity("angular", 20.2) < 0.0
    keys.press(" ", 20.2)
    assert keys.velocity("linear", 20.2) == keys.velocity("angular", 20.2) == 0.0


def test_no_gear_asks_for_more_than_the_robot_can_do_or_for_nothing() -> None:
    keys = Keys()
    for key in "eq":
        for _ in range(50):
            keys.press(key, 0.0)
        keys.press("w", 0.0)
        keys.press("a", 0.0)
        assert 0.01 < keys.velocity("linear", 0.1) <= MAX_WHEEL_SPEED
        assert 0.6 < keys.velocity("angular", 0.1) <= MAX_YAW_RATE
    keys.press("r", 0.0)
    assert keys.velocity("head", 0.1) == pytest.approx(0.8)
    chosen = Keys(0.1)
    chosen.press("w", 0.0)
    assert chosen.velocity("linear", 0.1) == 0.1


def test_arrows_and_letters_come_one_by_one() -> None:
    assert split("w\x1b[A\x1b[Dg \x1b") == ["w", "w", "a", "g", " ", "\x1b"]


def test_without_a_terminal_there_are_no_keys(tmp_path: os.PathLike[str]) -> None:
    with (
        open(os.path.join(tmp_path, "file"), "w+") as stream,
        pytest.raises(OSError, match="no terminal"),
        key_by_key(stream),
    ):
        raise AssertionError("a file is no terminal")

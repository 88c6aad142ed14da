"""What a robot that went away and came back is told again, and what becomes of goals meanwhile."""

from __future__ import annotations

import signal
from pathlib import Path as FilePath

import pytest
from geometry_msgs.msg import Point, Twist
from nav_msgs.msg import Odometry
from std_msgs.msg import ColorRGBA, Header
from std_srvs.srv import SetBool

from cozmo_driver.emulator import Identity, running_emulator
from cozmo_driver.emulator.firmware import Firmware
from cozmo_driver.emulator.lights import FRONT
from cozmo_driver.protocol import DisconnectReason
from cozmo_interfaces.action import (
    FollowPath,
    MoveHead,
)
from cozmo_interfaces.msg import (
    BackpackLights,
    ConnectionState,
    CubeAccel,
    CubeArray,
    CubeLights,
    LightState,
    PathSegment,
    Reason,
)
from cozmo_interfaces.srv import ConnectCube, SetVolume

from ..waiting import wait_until
from .conftest import World
from .goals import Action, SentGoal
from .graph import LATCHED, DriverProcess, Inbox, running_graph

(FIRST, _), (SECOND, _), (THIRD, _) = Identity().cubes
RED, DARK = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)
BASE = Header(frame_id="base_footprint")
FAR = PathSegment(type=PathSegment.LINE, end=Point(x=3.0))


@pytest.fixture
def states(world: World) -> Inbox[ConnectionState]:
    """Return the states of the link when the robot is there."""
    inbox = world.graph.listen(ConnectionState, "connection_state", LATCHED)
    inbox.wait_for(lambda message: message.state == ConnectionState.CONNECTED)
    return inbox


def next_connection(states: Inbox[ConnectionState]) -> ConnectionState:
    """Return the state in which the robot is connected again."""
    return states.wait_for(
        lambda message: (
            message.state == ConnectionState.CONNECTED
            and message.connections > states.messages[0].connections
        )
    )


def red_light() -> LightState:
    return LightState(on_color=ColorRGBA(r=1.0, a=1.0))


def switch(world: World, service: str, on: bool) -> None:
    assert world.graph.call(SetBool, service, SetBool.Request(data=on)).success


def give_wishes(world: World, cubes: Inbox[CubeArray]) -> None:
    """Set everything that shall outlive the connection to what is not its default."""
    graph = world.graph
    cubes.wait_for(lambda array: sum(cube.is_connected for cube in array.cubes) == 3)
    request = ConnectCube.Request(factory_id=SECOND, connect=False)
    assert graph.call(ConnectCube, "connect_cube", request).success
    graph.publisher(BackpackLights, "backpack_lights").publish(BackpackLights(front=red_light()))
    lights = CubeLights(factory_id=FIRST, lights=[red_light(), *[LightState()] * 3])
    graph.publisher(CubeLights, "cube_lights").publish(lights)
    switch(world, "set_head_light", True)
    switch(world, "stop_on_cliff", False)
    assert graph.call(SetVolume, "set_volume", SetVolume.Request(volume=0.25)).success
    assert not world.graph.set(camera_auto_exposure=False)
    assert not world.graph.set(camera_color=True, camera_gain=1.5, camera_exposure=33)


def withdraw_wishes(world: World) -> None:
    graph = world.graph
    graph.publisher(BackpackLights, "backpack_lights").publish(BackpackLights(is_released=True))
    lights = CubeLights(factory_id=FIRST, is_released=True)
    graph.publisher(CubeLights, "cube_lights").publish(lights)
    switch(world, "set_head_light", False)
    switch(world, "stop_on_cliff", True)
    assert not world.graph.set(camera_auto_exposure=True, camera_color=False)


def are_granted(firmware: Firmware) -> bool:
    """Tell whether the robot is as it was wished to be."""
    return (
        firmware.backpack.colors()[FRONT] == RED
        and firmware.cubes.colors(FIRST) == (RED, DARK, DARK, DARK)
        and firmware.backpack.head_light
        and not firmware.ground.stops_at_edges
        and firmware.animation.truth().volume == round(0.25 * 65535)
        and firmware.camera.streaming
        and firmware.camera.color
        and firmware.camera.gain == pytest.approx(1.5)
        and firmware.camera.exposure_ms == 33
        and [cube.slot is not None for cube in firmware.cubes.cubes.values()] == [True, False, True]
    )


@pytest.mark.covers(
    "backpack_lights",
    "cube_lights",
    "cube_accel",
    "set_head_light",
    "set_volume",
    "volume",
    "camera_auto_exposure",
    "camera_color",
    "camera_gain",
    "camera_exposure",
    "connect_cube",
    "service:stop_on_cliff",
    "follow_path",
    "move_head",
    "connection_state",
)
def test_a_robot_that_was_switched_off_is_told_everything_again(
    world: World, states: Inbox[ConnectionState]
) -> None:
    cubes = world.graph.listen(CubeArray, "cubes", LATCHED)
    accelerations = world.graph.listen(CubeAccel, "cube_accel")
    give_wishes(world, cubes)
    wait_until(lambda: world.emulator.call(are_granted), "the robot does not do what is wished")
    follow = Action(world.graph, FollowPath, "follow_path")
    drive = follow.send(header=BASE, segments=[FAR], speed=0.05)
    world.emulator.wait_for(lambda state: state.left_speed != 0.0)
    head = Action(world.graph, MoveHead, "move_head").send(angle=0.7, speed=0.02)

    world.emulator.kill()
    for goal in (drive, head):
        assert_lost(goal)
    lost = states.wait_for(lambda message: message.state == ConnectionState.WAITING)
    assert lost.reason == ConnectionState.REASON_SILENT

    accelerations.clear()
    world.emulator.restart()
    next_connection(states)
    wait_until(lambda: world.emulator.call(are_granted), "the robot is not told again")
    accelerations.wait_for(lambda felt: felt.factory_id == FIRST)
    assert world.emulator.state().left_speed == 0.0, "an old goal goes on"
    withdraw_wishes(world)


def assert_lost(goal: SentGoal) -> None:
    """Check that a goal ended with the link."""
    status, result = goal.wait()
    assert (status, result.success, result.reason) == ("aborted", False, Reason.LINK_LOST)


def seconds_until_it_stands(firmware: Firmware) -> float:
    """Hurry a robot's time until its treads stand; return how long that was for it."""
    start = firmware.core.now
    while firmware.wheels.moving and firmware.core.now - start < 10.0:
        firmware.handle_timer(firmware.core.now + 0.05)
    return float(firmware.core.now - start)


@pytest.mark.covers("cmd_vel")
def test_a_robot_whose_driver_was_killed_stops_by_itself(tmp_path: FilePath) -> None:
    with running_emulator(calibration_time=0.0) as emulator, running_graph() as graph:
        # With a long watchdog the driver drives on: what stops the robot is the robot's own.
        driver = DriverProcess(
            graph.namespace,
            {"robot_address": "127.0.0.1", "robot_port": emulator.port, "cmd_vel_timeout": 10.0},
            tmp_path,
        )
        try:
            odometry = graph.listen(Odometry, "odom")
            odometry.wait_for(lambda _: True)
            command = Twist()
            command.linear.x = 0.05
            publisher = graph.publisher(Twist, "cmd_vel")

            def drives() -> bool:
                # A first command may come before the node is connected or knows its publisher.
                publisher.publish(command)
                return emulator.state().left_speed > 0.0

            wait_until(drives, "the robot does not drive")
        finally:
            code = driver.stop(signal.SIGKILL)
        assert code == -signal.SIGKILL
        before = emulator.state()
        assert before.left_speed > 0.0, "the robot should drive on: nobody told it anything"
        # Nobody talks to the robot any more: its time can be hurried.
        lasted = emulator.call(seconds_until_it_stands)
        after = emulator.state()
        assert after.last_disconnect is DisconnectReason.TIMEOUT
        assert 0.0 < lasted < 6.0
        assert after.driven - before.driven >= 40.0 * lasted

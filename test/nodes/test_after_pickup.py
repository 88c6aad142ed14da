"""A robot that was carried and put elsewhere: ``after_pickup``, and Nav2 beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import Pose, PoseStamped, TransformStamped, Twist
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.parameter import Parameter
from rclpy.service import Service
from rclpy.task import Future
from std_msgs.msg import Header
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from cozmo_driver.bringup import nav2_guard
from cozmo_driver.emulator.body import Pose2D
from cozmo_driver.ros.runtime import StopRequest
from cozmo_interfaces.action import GoToPose
from cozmo_interfaces.msg import Reason, RobotEvent, RobotStatus
from cozmo_interfaces.srv import SetOdometry

from ..waiting import TIMEOUT, wait_until
from .conftest import World, stands
from .goals import Action
from .graph import running_graph, running_node, twist

pytestmark = pytest.mark.covers("after_pickup")


def carry(world: World) -> None:
    """Lift the robot and put it down 0.8 m away."""
    status = world.graph.listen(RobotStatus, "status")
    world.emulator.call(lambda f: f.ground.pick_up())
    status.wait_for(lambda one: one.off_treads_state != RobotStatus.ON_TREADS)
    world.emulator.call(lambda f: f.ground.put_down(Pose2D(800.0, 0.0, 1.0)))
    status.clear()
    status.wait_for(lambda one: one.off_treads_state == RobotStatus.ON_TREADS)


def drives(world: World) -> None:
    """Send ``cmd_vel`` until the treads run, then stop them."""
    publisher = world.graph.publisher(Twist, "cmd_vel")

    def runs() -> bool:
        publisher.publish(twist(0.05))
        return not stands(world.emulator.state())

    wait_until(runs, "cmd_vel does not drive")
    publisher.publish(Twist())
    world.emulator.wait_for(stands)


def waits(world: World) -> None:
    """Goals are refused, and ``cmd_vel`` with the same words."""
    goal = PoseStamped(header=Header(frame_id="base_footprint"))
    goal.pose.position.x = 0.05
    status, result = Action(world.graph, GoToPose, "go_to_pose").do(pose=goal)
    assert (status, result.reason) == ("aborted", Reason.PICKED_UP)
    publisher = world.graph.publisher(Twist, "cmd_vel")
    before = world.driver.log.count("cmd_vel is refused: the robot was carried")

    def is_refused() -> bool:
        publisher.publish(twist(0.05))
        return world.driver.log.count("cmd_vel is refused: the robot was carried") > before

    wait_until(is_refused, "cmd_vel is not refused")
    assert stands(world.emulator.state())


@pytest.fixture(autouse=True)
def free(world: World) -> Iterator[None]:
    yield
    assert not world.graph.set(after_pickup="continue")
    world.emulator.wait_for(stands)


def test_it_drives_on_unless_told(world: World) -> None:
    carry(world)
    drives(world)


@pytest.mark.covers("set_odometry", "release_stop")
def test_it_waits_until_somebody_tells_where_it_is_or_lets_it_go(world: World) -> None:
    assert not world.graph.set(after_pickup="hold")
    drives(world)
    carry(world)
    waits(world)
    pose = Pose()
    pose.position.x, pose.orientation.w = 0.8, 1.0
    assert world.graph.call(SetOdometry, "set_odometry", SetOdometry.Request(pose=pose)).success
    drives(world)
    carry(world)
    waits(world)
    assert world.graph.call(Trigger, "release_stop").success
    drives(world)


def test_it_waits_until_a_localization_has_moved_the_odometrys_frame(world: World) -> None:
    assert not world.graph.set(after_pickup="hold_until_localized")
    place = TransformStamped(header=Header(frame_id="map"), child_frame_id="odom")
    place.transform.translation.x = 0.3
    carry(world)
    publisher = world.graph.publisher(TFMessage, "/tf")
    for _ in range(3):
        publisher.publish(TFMessage(transforms=[place]))
        waits(world)
    place.transform.rotation.z, place.transform.rotation.w = math.sin(0.05), math.cos(0.05)

    publisher.publish(TFMessage(transforms=[place]))
    drives(world)


def test_nav2_learns_of_it_and_the_driver_is_as_before_afterwards(world: World) -> None:
    node = world.graph.node
    names = [f"{name}/_action/cancel_goal" for name in ("navigate_to_pose", "dock_robot")]
    canceled: dict[str, list[CancelGoal.Request]] = {name: [] for name in names}

    def serve(name: str) -> Service:
        def on_cancel(
            request: CancelGoal.Request, response: CancelGoal.Response
        ) -> CancelGoal.Response:
            canceled[name].append(request)
            return response

        return node.create_service(CancelGoal, name, on_cancel)

    services = [serve(name) for name in names]
    with running_node("nav2_guard", world.graph.namespace) as guard:
        wait_until(lambda: world.graph.get("after_pickup") == "hold", "the guard does not choose")
        guard.wait_for_log("after_pickup of cozmo_driver is hold")
        # The driver's events and the goals' server are found by the guard in any order.
        wait_until(lambda: node.count_subscribers("events") > 0, "the guard does not listen")
        wait_until(lambda: all(map(node.count_clients, names)), "the guard knows no goals")
        events = world.graph.listen(RobotEvent, "events")
        # The driver knows its listeners in the order in which they came.
        world.graph.listen(RobotStatus, "status").collect(1)
        carry(world)
        events.wait_for(lambda event: event.type == RobotEvent.DELOCALIZED)
        wait_until(lambda: all(canceled.values()), "goals stand")
        waits(world)
        # So does a goal that comes while it waits.
        [requests, _] = canceled.values()
        count = len(requests)
        wait_until(lambda: len(requests) > count + 1, "a new goal stands")
    assert not any(requests[0].goal_info.goal_id.uuid)
    assert world.graph.get("after_pickup") == "continue"
    drives(world)
    for service in services:
        node.destroy_service(service)


def test_a_lost_answer_is_asked_for_again_and_a_driver_that_was_started_again_is_told_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nav2_guard, "_PERIOD", 0.05)
    monkeypatch.setattr(nav2_guard, "_ANSWER_TIMEOUT", 0.2)
    monkeypatch.setattr(nav2_guard, "_LAST_TIMEOUT", TIMEOUT)
    asked, values = [], ["continue"]

    async def get(
        _: GetParameters.Request, response: GetParameters.Response
    ) -> GetParameters.Response:
        asked.append(values[-1])
        if len(asked) == 1:
            await Future()
        response.values = [Parameter("after_pickup", value=values[-1]).get_parameter_value()]
        return response

    def choose(
        request: SetParameters.Request, response: SetParameters.Response
    ) -> SetParameters.Response:
        values.append(request.parameters[0].value.string_value)
        return response

    with running_graph() as graph:
        node, group = graph.node, ReentrantCallbackGroup()
        node.create_service(GetParameters, "cozmo_driver/get_parameters", get, callback_group=group)
        node.create_service(SetParameters, "cozmo_driver/set_parameters", choose)
        guard = graph.in_executor(lambda: nav2_guard.Guard(node))
        wait_until(lambda: values[-1] == "hold", "the guard does not ask again")
        values.append("continue")
        wait_until(lambda: values[-1] == "hold", "a driver that was started again is not told")
        looks: list[None] = []
        with monkeypatch.context() as patch:
            patch.setattr(guard._set, "service_is_ready", lambda: looks.append(None))
            wait_until(lambda: len(looks) > 1, "the guard does not look for the driver")
        stop = StopRequest()
        stop.set()
        guard.run(stop)
        assert values[-1] == "continue"

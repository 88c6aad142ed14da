"""The body on the graph: what it asks of the driver ends when whoever asked is cancelled."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from action_msgs.msg import GoalStatusArray
from geometry_msgs.msg import Point
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Image, LaserScan
from vision_msgs.msg import (
    Detection2D,
    Detection2DArray,
    ObjectHypothesis,
    ObjectHypothesisWithPose,
)

from cozmo_driver.behavior import ros_body
from cozmo_driver.behavior.body import Senses
from cozmo_driver.behavior.ros_body import RosBody
from cozmo_driver.behavior.ros_face import ExpressionPublisher
from cozmo_driver.behavior.ros_parameters import BEHAVIOR_PARAMETERS
from cozmo_driver.behavior.sight import Sense, Sight
from cozmo_driver.link import LoopThread
from cozmo_driver.resources.library import load_library
from cozmo_driver.robot import CubeEvent as CubeTap
from cozmo_driver.robot import Pose2D, Reason, RobotError
from cozmo_driver.ros.context import NodeContext, to_time
from cozmo_driver.ros.parameter_set import ParameterSet
from cozmo_driver.ros.topics import COMMAND, EVENT, SENSOR
from cozmo_interfaces.msg import (
    BackpackLights,
    ConnectionState,
    Cube,
    CubeArray,
    CubeEvent,
    CubeLights,
    Expression,
    Face,
    FaceArray,
    Motion,
    ObjectState,
    ObjectStates,
    RobotStatus,
)

from ..waiting import TIMEOUT, wait_until
from .conftest import World
from .graph import LATCHED, Graph, running_graph, running_node


class Bodily:
    """A body and the loop it is used in."""

    def __init__(self, graph: Graph, thread: LoopThread) -> None:
        self.thread, self.node = thread, graph.node
        context = NodeContext(graph.node, thread, ParameterSet(graph.node, BEHAVIOR_PARAMETERS))
        self.face = ExpressionPublisher(context)
        self.body = RosBody(context, load_library(), self.face.show)

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.thread.run(work, TIMEOUT)

    async def ready(self) -> None:
        """Wait until there is a robot that feels itself."""
        while not self.body.senses.is_connected:
            if self.body.ros_senses.is_linked and not self.body.ros_senses.is_known:
                await self.body.fetch_triggers()
            await asyncio.sleep(0.01)


@contextmanager
def bodily(graph: Graph) -> Iterator[Bodily]:
    thread = LoopThread()
    try:
        yield Bodily(graph, thread)
    finally:
        thread.stop()


@pytest.fixture(scope="module")
def body(world: World) -> Iterator[Bodily]:
    with running_graph(world.graph.namespace) as own, bodily(own) as found:
        found.run(found.ready())
        yield found


def test_a_calibration_that_nobody_answers_is_not_waited_for_for_ever(
    world: World, body: Bodily, monkeypatch: pytest.MonkeyPatch
) -> None:
    def let_calibrations_take(time: float) -> None:
        world.emulator.call(lambda f: setattr(f.joints, "calibration_time", time))

    def calibrates() -> bool:
        with suppress(RobotError):
            body.run(body.body.calibrate())
            return True
        return False

    let_calibrations_take(2.0)
    with monkeypatch.context() as patched:
        patched.setattr(ros_body, "_CALIBRATED_WITHIN", 0.01)
        with pytest.raises(RobotError, match="calibrate_motors did not answer"):
            body.run(body.body.calibrate())
    let_calibrations_take(0.0)
    wait_until(calibrates, "the driver still refuses to calibrate")


def is_still(world: World) -> bool:
    return not world.emulator.call(lambda firmware: firmware.wheels.moving)


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.3])
def test_a_drive_ends_with_its_task_also_while_its_goal_is_being_accepted(
    world: World, body: Bodily, delay: float
) -> None:
    statuses = world.graph.listen(GoalStatusArray, "drive_distance/_action/status", LATCHED)

    async def drive() -> None:
        task = asyncio.ensure_future(body.body.drive_distance(1.0))
        await asyncio.sleep(delay)
        task.cancel()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        await body.body.settle()

    body.run(drive())
    wait_until(lambda: is_still(world), "the treads never stand")
    # Whatever was sent has ended: 4, 5 and 6 are the ends.
    statuses.wait_for(lambda message: all(one.status >= 4 for one in message.status_list))


def test_everything_that_takes_time_is_done(world: World, body: Bodily, tmp_path: Path) -> None:
    song = tmp_path / "song.yaml"
    song.write_text("title: Two notes\nbpm: 120\nnotes: C4 E4\n")

    async def live() -> None:
        robot = body.body
        await robot.move_head(0.3)
        await robot.move_lift(0.05)
        await robot.turn(0.2)
        await robot.drive_distance(0.02, 0.05)
        await robot.go_to(robot.senses.pose.compose(Pose2D(0.02)))
        await robot.play("Nod", is_body_still=True, is_silent=True)
        await robot.sing(str(song), is_body_still=True)
        await robot.calibrate()
        assert robot.senses.is_settled

    body.run(live())
    assert is_still(world)


def test_what_the_driver_refuses_fails_with_its_reason(body: Bodily) -> None:
    with pytest.raises(RobotError) as caught:
        body.run(body.body.play("NoSuchClip"))
    assert caught.value.reason is Reason.NOT_FOUND, caught.value


def test_lights_are_shown_and_given_back(world: World, body: Bodily) -> None:
    backpack = world.graph.listen(BackpackLights, "backpack_lights")
    cube_lights = world.graph.listen(CubeLights, "cube_lights")
    lights = [one for one in body.node.publishers if one.topic_name.endswith("_lights")]
    assert len(lights) == 2

    def is_heard() -> bool:  # by the driver and by this test
        return all(one.get_subscription_count() == 2 for one in lights)

    wait_until(is_heard, "the lights are not heard")
    cubes = world.graph.listen(CubeArray, "cubes", LATCHED)
    known = cubes.wait_for(lambda message: any(cube.is_connected for cube in message.cubes)).cubes
    cube = next(cube.factory_id for cube in known if cube.is_connected)
    pattern = next(iter(load_library().backpack_patterns))

    async def shine(on: bool) -> None:
        if on:
            body.body.light_backpack(pattern)
            body.body.light_cube(cube, "tapped")
            body.body.stream_acceleration(cube, True)
        else:
            body.body.release()

    body.run(shine(True))
    backpack.wait_for(lambda message: not message.is_released)
    cube_lights.wait_for(lambda message: message.factory_id == cube and not message.is_released)

    async def felt() -> None:
        while not body.body.cube_acceleration(cube) > 0.0:
            await asyncio.sleep(0.01)

    body.run(felt())
    body.run(shine(False))
    backpack.wait_for(lambda message: message.is_released)
    cube_lights.wait_for(lambda message: message.factory_id == cube and message.is_released)


def test_a_picture_is_shown_instead_of_the_face_node_s_and_given_back(
    world: World, body: Bodily
) -> None:
    picture = np.zeros((64, 128), np.uint8)
    picture[20:40, 30:60] = 1
    shown = world.graph.listen(Image, "display/image", LATCHED)

    def lit(message: Image) -> int:
        return np.frombuffer(message.data, np.uint8).reshape(64, 128)[20:40, 30:60].sum() // 255

    async def show(one: npt.NDArray[np.uint8] | None) -> None:
        body.body.show_picture(one)
        await body.body.settle()

    with running_node("face_node", world.graph.namespace, blinks=False, saccades=False):
        shown.wait_for(lambda message: any(message.data) and lit(message) != 300)
        # The face node's services are found after its topics.
        wait_until(
            lambda: body.run(show(picture)) or not world.graph.get("enabled", "cozmo_face"),
            "it draws",
        )
        shown.wait_for(lambda message: lit(message) == 300 and sum(message.data) == 300 * 255)
        body.run(show(None))
        assert world.graph.get("enabled", "cozmo_face")
        seen = len(shown.messages)
        wait_until(lambda: any(map(any, (one.data for one in shown.messages[seen - 1 :]))), "dark")

        # Somebody else has switched it off.
        assert world.graph.set("cozmo_face", enabled=False) == ""
        body.run(show(picture))
        body.run(show(None))
        assert not world.graph.get("enabled", "cozmo_face")


@pytest.mark.parametrize("name_of_face", ["cozmo_face", "own_face"])
def test_a_face_node_that_starts_later_is_told_the_expression(name_of_face: str) -> None:
    with running_graph() as graph, bodily(graph) as alone:

        async def express(name: str) -> None:
            alone.face.enable(bool(name))
            alone.face.show(name)

        def is_shown(name: str) -> Expression:
            alone.run(express(name))
            return expressions.wait_for_latest(lambda message: message.name == name)

        names = cycle(("Sadness", "Boredom"))
        alone.run(express("Happiness"))
        with running_graph(graph.namespace, name_of_face) as started:
            started.node.create_publisher(Image, "face/image", COMMAND)
            expressions = started.listen(Expression, "face/expression")
            expressions.wait_for(lambda message: message.name == "Happiness")
            # What it shows by now may be somebody else's, whoever begins and ends to listen.
            with running_graph(graph.namespace, "recorder") as recorder:
                recorded = recorder.listen(Expression, "face/expression")
                wait_until(lambda: is_shown(next(names)) and recorded.messages, "not recorded")
            assert is_shown("Annoyance")
            shown = [message.name for message in expressions.messages]
            assert all(before != after for before, after in pairwise(shown))
            alone.run(express(""))
            expressions.wait_for_latest(lambda message: message.name == "Neutral")
            # Whatever the face shows when it is taken, of a life before or of somebody else.
            expressions.clear()
            alone.run(express("Neutral"))
            expressions.wait_for(lambda message: message.name == "Neutral")


def test_nonsense_on_the_topics_is_not_felt_and_said(caplog: pytest.LogCaptureFixture) -> None:
    with running_graph() as graph, bodily(graph) as alone:
        nowhere = Odometry()
        # Of nothing but zeros: that is none.
        nowhere.pose.pose.orientation.w = 0.0
        odometry = graph.publisher(Odometry, "odom")
        status = graph.publisher(RobotStatus, "status")
        connection = graph.publisher(ConnectionState, "connection_state", LATCHED)

        async def feel() -> Senses:
            return alone.body.senses

        def is_refused() -> bool:
            odometry.publish(nowhere)
            status.publish(RobotStatus())
            connection.publish(ConnectionState(state=ConnectionState.CONNECTED))
            assert not alone.run(feel()).is_connected
            return "is not understood" in caplog.text

        wait_until(is_refused, "nothing was said of an orientation that is none")


def test_without_a_driver_every_action_fails() -> None:
    with running_graph() as graph, bodily(graph) as alone:
        for action in (alone.body.turn(1.0), alone.body.calibrate()):
            with pytest.raises(RobotError) as caught:
                alone.run(action)
            assert caught.value.reason is Reason.NOT_CONNECTED


def test_taps_have_the_times_of_their_stamps_in_whatever_order_they_come() -> None:
    with running_graph("/taps") as graph, bodily(graph) as body:
        cubes = graph.publisher(CubeEvent, "cube_events", EVENT)
        now = graph.node.get_clock().now().nanoseconds
        for factory_id, age in ((1, 100_000_000), (2, 140_000_000)):
            stamp = to_time(now - age)
            event = CubeEvent(type=CubeEvent.TAPPED, factory_id=factory_id)
            event.header.stamp = stamp
            cubes.publish(event)

        async def taken() -> list[CubeTap]:
            while body.body.events.total < 2:
                await asyncio.sleep(0.01)
            _, events = body.body.events.newer_than(0)
            return [one for one in events if isinstance(one, CubeTap)]

        late, early = body.run(taken())
        assert (late.cube.factory_id, early.cube.factory_id) == (1, 2)
        assert late.time - early.time == pytest.approx(0.040, abs=0.030)


def test_where_cubes_are_is_known_from_the_vision_node() -> None:
    with running_graph("/places") as graph, bodily(graph) as body:
        cubes = graph.publisher(CubeArray, "cubes", LATCHED)
        known = [Cube(cube_id=number, factory_id=10 + number) for number in (1, 2)]
        cubes.publish(CubeArray(cubes=known))
        objects = graph.publisher(ObjectStates, "object_states", LATCHED)
        seen = ObjectState(name="cube_1", kind=ObjectState.CUBE, state=ObjectState.KNOWN)
        seen.pose.position.x, seen.pose.orientation.w = 0.3, 1.0
        lost = ObjectState(name="cube_2", kind=ObjectState.CUBE, state=ObjectState.UNKNOWN)
        objects.publish(ObjectStates(objects=[seen, lost]))

        async def placed() -> list[Pose2D]:
            while not (known := body.body.sight.objects):
                await asyncio.sleep(0.01)
            return [known[name].place for name in sorted(known)]

        assert body.run(placed()) == [Pose2D(0.3)]


def test_floor_that_is_known_only_aside_is_not_known_to_be_free() -> None:
    with running_graph("/ahead") as graph, bodily(graph) as body:

        async def watch() -> None:
            body.body.watch(Sense.GROUND, True)

        async def free_ahead(ranges: list[float], is_told: Callable[[float], bool]) -> None:
            scan = LaserScan(angle_min=-0.5, angle_max=0.5, angle_increment=0.02, ranges=ranges)
            while not is_told(body.body.sight.free_ahead):
                scans.publish(scan)
                await asyncio.sleep(0.1)

        body.run(watch())
        scans = graph.publisher(LaserScan, "scan", SENSOR)
        for ranges, is_told in (
            ([0.2] * 51, lambda free: free == pytest.approx(0.2)),
            ([math.inf] + [math.nan] * 50, math.isnan),
            ([math.inf] * 51, math.isinf),
        ):
            body.run(free_ahead(ranges, is_told))


@pytest.mark.covers("faces", "motion", "pets")
def test_people_motion_and_pets_are_seen_and_somebody_looks_for_them() -> None:
    with running_graph("/seen") as graph, bodily(graph) as body:
        stamp = graph.node.get_clock().now().to_msg()
        face = Face(id=3, name="Ada", position=Point(x=0.5, y=0.1, z=0.3))
        cat = Detection2D(id="7")
        cat.results.append(ObjectHypothesisWithPose(hypothesis=ObjectHypothesis(class_id="cat")))
        cat.bbox.center.position.x = 160.0 - 290.0 * math.tan(0.2)
        motion = Motion(image_area=0.1, ground_area=0.05, ground_point=Point(x=0.2))
        told = {
            graph.publisher(FaceArray, "faces", SENSOR): FaceArray(faces=[face]),
            graph.publisher(Motion, "motion", SENSOR): motion,
            graph.publisher(Detection2DArray, "pets", SENSOR): Detection2DArray(detections=[cat]),
        }

        async def seen() -> Sight:
            while True:
                for publisher, message in told.items():
                    message.header.stamp = stamp
                    publisher.publish(message)
                sight = body.body.sight
                if sight.faces and sight.pets and sight.motion and Sense.FACES in sight.looks_for:
                    return sight
                await asyncio.sleep(0.1)

        sight = body.run(seen())
        assert (sight.faces[0].id, sight.faces[0].name, sight.faces[0].x) == (3, "Ada", 0.5)
        assert (sight.pets[0].id, sight.pets[0].kind) == (7, "cat")
        assert sight.pets[0].heading == pytest.approx(0.2, abs=1e-6)
        assert sight.motion is not None
        assert sight.motion.ground == pytest.approx((0.2, 0.0))
        assert {Sense.FACES, Sense.MOTION, Sense.PETS} <= sight.looks_for
        assert Sense.OBJECTS not in sight.looks_for
        assert "run the vision node" in sight.why_blind(Sense.OBJECTS)

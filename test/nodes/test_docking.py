"""The action dock, the topic it follows, and place_on_ground."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from geometry_msgs.msg import PoseStamped, Vector3
from nav_msgs.msg import Odometry
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from cozmo_driver.driver.docking import DockingPart
from cozmo_driver.emulator.firmware import Firmware
from cozmo_driver.emulator.world import World as Place
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.robot import DockingError, Pose2D
from cozmo_driver.ros.geometry import plane_pose
from cozmo_interfaces.action import Dock
from cozmo_interfaces.msg import Reason, RobotStatus

from ..waiting import TIMEOUT
from .conftest import Bench, World, running_world
from .goals import Action
from .graph import broadcasting

_HALL = {
    "name": "hall",
    "floor": [{"rectangle": [-1.0, -1.0, 1.0, 1.0]}],
    "cubes": [{"number": 1, "x": 0.15, "y": 0.0}],
}
_AHEAD = 0.020
"""The robot's origin, ahead of base_footprint, m."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Return a driver and a robot that looks at a cube."""
    place = Place(layout_of(_HALL, "hall.yaml"), ideal=True)
    emulated = {"ideal": True, "world": place}
    with running_world(emulated=emulated, camera_enabled=False) as world:
        yield world


def face(world: World) -> tuple[float, float]:
    """Return how far the cube's face is ahead of base_footprint and to its left, m."""

    def look(firmware: Firmware) -> tuple[float, float]:
        cube = firmware.place.world.cube(1).pose.seen_from(firmware.body.world_pose)
        return cube.x / 1000 - 0.022 + _AHEAD, cube.y / 1000

    return world.emulator.call(look)


@contextmanager
def errors(world: World, make: Callable[[], PoseStamped]) -> Iterator[None]:
    """Publish errors for the time of a ``with`` block."""
    publisher = world.graph.publisher(PoseStamped, "docking/error")
    is_over = threading.Event()

    def publish() -> None:
        while not is_over.wait(0.05):
            publisher.publish(make())

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def error(x: float, y: float, frame: str) -> PoseStamped:
    message = PoseStamped()
    message.header.frame_id = frame
    message.pose.position.x, message.pose.position.y = x, y
    message.pose.position.z, message.pose.orientation.w = 0.022, 1.0
    return message


@pytest.mark.covers("dock", "docking/error", "place_on_ground", "status")
def test_a_cube_is_picked_up_carried_and_put_down(world: World) -> None:
    status = world.graph.listen(RobotStatus, "status")
    dock = Action(world.graph, Dock, "dock")
    # Without timeouts of the robot: a busy computer may not publish for a second.
    with errors(world, lambda: error(*face(world), "base_footprint")):
        goal = dock.send(action=Dock.Goal.PICK_UP_LOW, method=Dock.Goal.EVEN_BLINDER)
        outcome, result = goal.wait()
    assert (outcome, result.reason, result.message) == ("succeeded", 0, "the robot has docked")
    assert (result.block, result.load) == (Dock.Result.PICKED_UP, Dock.Result.LOAD_FELT)
    goal.feedback.wait_for(lambda feedback: feedback.phase == Dock.Feedback.BACKING_OUT)
    status.wait_for_latest(lambda message: message.is_carrying_cube)
    assert world.emulator.call(lambda f: f.place.world.cube(1).place.bottom) > 50.0
    placed = world.graph.call(Trigger, "place_on_ground", again_after=TIMEOUT)
    assert placed.success, placed.message
    status.wait_for_latest(lambda message: not message.is_carrying_cube)
    assert world.emulator.call(lambda f: f.place.world.cube(1).place.bottom) == 0.0
    refused = world.graph.call(Trigger, "place_on_ground")
    assert (refused.success, "carries nothing" in refused.message) == (False, True)


@pytest.mark.covers("docking/error")
def test_errors_may_come_in_another_frame(world: World) -> None:
    odometry = world.graph.listen(Odometry, "odom")
    ahead, _ = face(world)
    here = odometry.collect(1)[0].pose.pose
    there = plane_pose(here).compose(Pose2D(ahead))
    marker = error(there.x, there.y, "odom")
    marker.pose.orientation = here.orientation
    dock = Action(world.graph, Dock, "dock")
    with errors(world, lambda: marker):
        outcome, result = dock.do(
            action=Dock.Goal.ALIGN, method=Dock.Goal.EVEN_BLINDER, offset=Vector3(x=-0.02)
        )
    assert (outcome, result.block) == ("succeeded", Dock.Result.NOTHING)
    # 18 mm before the marker (spec 16 §2.5), and the offset.
    assert face(world)[0] - _AHEAD == pytest.approx(0.038, abs=0.003)


@pytest.fixture
def fed(bench: Bench) -> tuple[DockingPart, list[DockingError]]:
    """Return a part whose robot docks, and what that robot is given."""
    part, given = DockingPart(bench.context), list[DockingError]()
    part._docking = SimpleNamespace(  # type: ignore[assignment]
        is_active=True,
        history=SimpleNamespace(pose_at=lambda _: Pose2D()),
        on_error=given.append,
    )
    return part, given


def test_the_first_error_in_a_frame_of_tf_counts(
    bench: Bench,
    fed: tuple[DockingPart, list[DockingError]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part, given = fed
    # A busy computer may take longer until tf is heard.
    monkeypatch.setattr("cozmo_driver.driver.docking._TF_TIMEOUT", TIMEOUT)

    async def scenario() -> None:
        message = error(0.1, 0.0, "tray")
        message.header.stamp = bench.context.stamp_now()
        part._on_error(message)
        assert part._lookup is not None
        await part._lookup

    with broadcasting(bench.graph, "tray"):
        bench.context.thread.run(scenario(), 2 * TIMEOUT)
    assert [one.x for one in given] == pytest.approx([1.1])


def test_of_errors_that_wait_for_tf_the_newest_is_the_next(
    bench: Bench, fed: tuple[DockingPart, list[DockingError]]
) -> None:
    part, given = fed

    async def scenario() -> None:
        is_known = asyncio.Event()

        async def pose_of(_: Header, **__: float) -> None:
            await is_known.wait()

        part._frames = SimpleNamespace(pose_of=pose_of)  # type: ignore[assignment]
        for x in (0.1, 0.2, 0.3):
            part._on_error(error(x, 0.0, "tray"))
            await asyncio.sleep(0)
        is_known.set()
        assert part._lookup is not None
        await part._lookup

    bench.context.thread.run(scenario(), TIMEOUT)
    assert [one.x for one in given] == pytest.approx([0.1, 0.3])


@pytest.mark.covers("dock")
def test_what_makes_no_sense_is_refused_and_nothing_to_see_is_told(world: World) -> None:
    dock = Action(world.graph, Dock, "dock")
    for wrong in ({"action": 7}, {"action": 99}, {"method": 9}, {"speed": math.nan}):
        outcome, result = dock.do(**wrong)
        assert (outcome, result.reason) == ("aborted", Reason.INVALID), wrong
    outcome, result = dock.do(action=Dock.Goal.PUT_DOWN)
    assert (outcome, result.reason) == ("aborted", Reason.NOT_ALLOWED)
    outcome, result = dock.do(action=Dock.Goal.PICK_UP_LOW)
    assert (outcome, result.reason) == ("aborted", Reason.NOT_SEEN)
    world.emulator.wait_for(lambda state: not state.status & 0x4)

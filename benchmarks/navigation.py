"""``python -m benchmarks.navigation``: random goals for the real Nav2 in the emulator's room.

Needs Nav2 and launch beside this package. Prints each goal and, below, a row for
docs/ecosystem.md: how many were reached, and how far off the robot really was, in the world.
With ``--localization`` the robot finds its place by the tags of the world ``landmarks``, and
nothing is set to the truth; ``--through 3`` sends three poses at once.
"""

from __future__ import annotations

import argparse
import math
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import Point, Pose, PoseStamped, PoseWithCovarianceStamped
from nav2_msgs.action import NavigateThroughPoses, NavigateToPose
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from std_msgs.msg import Header

from cozmo_driver.bringup.processes import PACKAGE
from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.emulator.world.occupancy import FREE, occupancy_map
from cozmo_driver.robot import Pose2D
from cozmo_driver.ros.file_urls import shared_file
from cozmo_driver.ros.geometry import quaternion, yaw_of
from cozmo_interfaces.action import Localize
from cozmo_interfaces.srv import SetOdometry

_ORIGIN = Pose2D(0.020)
"""The robot's origin, as seen from base_footprint."""
_MAP, _TAGS = "config/maps/landmarks.yaml", "config/maps/landmarks_tags.yaml"
_CLEARANCE = 0.10
"""Least distance of a goal to whatever the map holds, m."""
_START_TIME, _GOAL_TIME = 120.0, 90.0
_NEAR, _ASKEW = 0.03, 0.15
"""m and rad, within which the robot really is at its goal."""


@dataclass(frozen=True)
class Outcome:
    """How a goal ended: in s, m, rad; the errors are those in the world."""

    is_reached: bool
    error_code: int
    time: float
    distance: float
    heading: float
    recoveries: int
    mislocated: float
    """How far the robot was from where it took itself to be; NaN where nothing localizes."""

    @property
    def is_there(self) -> bool:
        """Whether Nav2 says so, and it is true."""
        return self.is_reached and self.distance <= _NEAR and self.heading <= _ASKEW


@contextmanager
def launched(file: str, log: Path, **arguments: Any) -> Iterator[None]:
    """Run one of the package's launch files for the time of a ``with`` block."""
    words = [f"{name}:={value}" for name, value in arguments.items() if value != ""]
    with log.open("w") as output:
        process = subprocess.Popen(
            ["ros2", "launch", "cozmo_driver", file, *words], stdout=output, stderr=output
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()


def wait_until_active(log: Path) -> None:
    """Wait for the lifecycle manager's word in Nav2's log. Raises ``TimeoutError``."""
    deadline = time.monotonic() + _START_TIME
    while "Managed nodes are active" not in log.read_text():
        if time.monotonic() > deadline:
            raise TimeoutError(f"Nav2 did not become active: see {log}")
        time.sleep(0.2)


class Navigator:
    """A client of Nav2 in one namespace, beside the emulator that knows the truth."""

    def __init__(self, emulator: RunningEmulator, namespace: str) -> None:
        """Make the node; Nav2 may still be starting."""
        self.node = Node("benchmark", namespace=namespace)
        self._emulator = emulator
        self._client = ActionClient(self.node, NavigateToPose, "navigate_to_pose")
        self._through = ActionClient(self.node, NavigateThroughPoses, "navigate_through_poses")
        self._localize = ActionClient(self.node, Localize, "localize")
        self._recoveries = 0
        self._believed: Pose2D | None = None
        self.node.create_subscription(
            PoseWithCovarianceStamped, "pose", self._on_pose, qos_profile_sensor_data
        )

    @property
    def truth(self) -> Pose2D:
        """Where base_footprint is in the world, m and rad."""
        pose = self._emulator.state().pose
        return Pose2D(pose.x / 1000, pose.y / 1000, pose.angle).compose(_ORIGIN.inverse())

    def call(self, kind: Any, service: str, request: Any) -> Any:
        """Return a service's response. Raises ``TimeoutError``."""
        client = self.node.create_client(kind, service)
        if not client.wait_for_service(_START_TIME):
            raise TimeoutError(f"nobody offers {service}")
        self._spin(0.5)  # until the server knows the client, too: else its response is lost
        return self._result(client.call_async(request), _START_TIME)

    def tell_the_truth(self) -> None:
        """Correct the odometry, as something that finds the robot in the map would."""
        self.call(SetOdometry, "set_odometry", SetOdometry.Request(pose=_message(self.truth)))

    def localize(self) -> bool:
        """Let the robot look around until it knows its place on the map of tags."""
        for _ in range(5):
            if self.send(self._localize, Localize.Goal(), _START_TIME).result.success:
                return True
            self._spin(2.0)  # head and lift are still being calibrated
        return False

    def go(self, *goals: Pose2D) -> Outcome:
        """Drive to a pose in the map, or through several."""
        started = time.monotonic()
        poses = [PoseStamped(header=Header(frame_id="map"), pose=_message(one)) for one in goals]
        self._recoveries = 0
        if len(poses) == 1:
            result = self.send(self._client, NavigateToPose.Goal(pose=poses[0]), _GOAL_TIME)
        else:
            through = NavigateThroughPoses.Goal(poses=poses)
            result = self.send(self._through, through, _GOAL_TIME * len(poses))
        took = time.monotonic() - started
        self._spin(1.0)  # what it sees from there comes late
        here = self.truth
        off = here.inverse().compose(goals[-1])
        mislocated = math.nan
        if self._believed is not None:
            mislocated = math.hypot(self._believed.x - here.x, self._believed.y - here.y)
        return Outcome(
            result.status == GoalStatus.STATUS_SUCCEEDED,
            int(result.result.error_code),
            took,
            math.hypot(off.x, off.y),
            abs(math.remainder(off.yaw, math.tau)),
            self._recoveries,
            mislocated,
        )

    def send(self, client: Any, goal: Any, timeout: float) -> Any:
        """Return an action's result; one that does not end in time is canceled."""
        if not client.wait_for_server(_START_TIME):
            raise TimeoutError("no server of the action came")
        handle = self._result(client.send_goal_async(goal, self._on_feedback), 10.0)
        future = handle.get_result_async()
        try:
            return self._result(future, timeout)
        except TimeoutError:
            self._result(handle.cancel_goal_async(), 10.0)
            return self._result(future, 10.0)

    def _on_feedback(self, message: Any) -> None:
        self._recoveries = getattr(message.feedback, "number_of_recoveries", self._recoveries)

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        pose = message.pose.pose
        self._believed = Pose2D(pose.position.x, pose.position.y, yaw_of(pose.orientation))

    def _spin(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def _result(self, future: Any, timeout: float) -> Any:
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=timeout)
        if not future.done():
            raise TimeoutError("no answer came")
        return future.result()


def random_goals(count: int, seed: int, world: str = "room") -> list[Pose2D]:
    """Return poses in a world that are clear of everything, with random headings."""
    occupancy = occupancy_map(load_layout(find_world(world)))
    rng = random.Random(seed)
    reach = round(_CLEARANCE / occupancy.resolution)
    rows, columns = occupancy.cells.shape
    goals: list[Pose2D] = []
    while len(goals) < count:
        row, column = rng.randrange(reach, rows - reach), rng.randrange(reach, columns - reach)
        around = occupancy.cells[row - reach : row + reach + 1, column - reach : column + reach + 1]
        if np.all(around == FREE):
            x = occupancy.origin[0] + (column + 0.5) * occupancy.resolution
            y = occupancy.origin[1] + (rows - row - 0.5) * occupancy.resolution
            goals.append(Pose2D(x, y, rng.uniform(-math.pi, math.pi)))
    return goals


def row(outcomes: list[Outcome]) -> str:
    """Return the summary, as a row of a Markdown table."""

    def spread(value: Callable[[Outcome], float], form: str) -> str:
        values = [value(o) for o in outcomes if o.is_reached] or [math.nan]
        return f"{statistics.median(values):{form}} / {max(values):{form}}"

    reached = sum(outcome.is_reached for outcome in outcomes)
    really = sum(outcome.is_there for outcome in outcomes)
    return (
        f"| {reached} of {len(outcomes)} | {really} | {spread(lambda o: o.time, '.1f')} s "
        f"| {spread(lambda o: 1000 * o.distance, '.0f')} mm "
        f"| {spread(lambda o: o.heading, '.3f')} rad |"
    )


def main() -> int:
    """Drive the goals; the exit code is 1 when one was not reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--namespace", default="")
    parser.add_argument("--frame-prefix", default="")
    parser.add_argument("--ideal", action="store_true", help="treads and sensors are exact")
    parser.add_argument(
        "--correct", action="store_true", help="before every goal, let odom be what is true"
    )
    parser.add_argument(
        "--localization", action="store_true", help="let the robot find its place by tags"
    )
    parser.add_argument("--through", type=int, default=1, help="poses of each goal")
    chosen = parser.parse_args()
    place = "landmarks" if chosen.localization else "room"
    poses = random_goals(chosen.goals * chosen.through, chosen.seed, place)
    outcomes: list[Outcome] = []
    with navigating(chosen) as (navigator, emulator):
        for first in range(0, len(poses), chosen.through):
            if chosen.correct:
                navigator.tell_the_truth()
            if chosen.localization and outcomes and not outcomes[-1].is_reached:
                navigator.localize()
            goals = poses[first : first + chosen.through]
            lost = emulator.lost_time()
            outcomes.append(navigator.go(*goals))
            print(*goals, outcomes[-1], f"lost {emulator.lost_time() - lost:.1f} s", flush=True)
    print(row(outcomes))
    return 0 if all(outcome.is_reached for outcome in outcomes) else 1


@contextmanager
def navigating(chosen: argparse.Namespace) -> Iterator[tuple[Navigator, RunningEmulator]]:
    """Run emulator, driver and Nav2 for the time of a ``with`` block."""
    names = {"namespace": chosen.namespace, "frame_prefix": chosen.frame_prefix}
    place = "landmarks" if chosen.localization else "room"
    world = World(load_layout(find_world(place)), seed=chosen.seed, ideal=chosen.ideal)
    logs = Path(tempfile.mkdtemp(prefix="navigation_"))
    print(f"logs: {logs}", file=sys.stderr)
    driver: dict[str, Any] = {"robot_address": "127.0.0.1", "face": "false"}
    nav2: dict[str, Any] = {}
    if chosen.localization:
        driver |= {"localization": "true", "tag_map": shared_file(PACKAGE, _TAGS)}
        nav2 |= {"localization": "true", "map": shared_file(PACKAGE, _MAP)}
    rclpy.init()
    with ExitStack() as stack:
        emulator = stack.enter_context(
            running_emulator(world=world, seed=chosen.seed, ideal=chosen.ideal)
        )
        driver["robot_port"] = emulator.port
        stack.enter_context(launched("cozmo.launch.py", logs / "driver.log", **driver, **names))
        stack.enter_context(launched("nav2.launch.py", logs / "nav2.log", **nav2, **names))
        navigator = Navigator(emulator, chosen.namespace)
        if chosen.localization:
            navigator.localize()
        wait_until_active(logs / "nav2.log")
        yield navigator, emulator
        navigator.node.destroy_node()
    rclpy.try_shutdown()


def _message(pose: Pose2D) -> Pose:
    return Pose(position=Point(x=pose.x, y=pose.y), orientation=quaternion(pose.yaw))


if __name__ == "__main__":
    sys.exit(main())

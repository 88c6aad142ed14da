"""``python -m benchmarks.navigation``: random goals for the real Nav2 in the emulator's room.

Needs Nav2 and launch beside this package. Prints each goal and, below, a row for
docs/ecosystem.md: how many were reached, and how far off the robot really was, in the world.
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
from geometry_msgs.msg import Point, Pose, PoseStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient
from rclpy.node import Node
from std_msgs.msg import Header

from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.emulator.world.occupancy import FREE, occupancy_map
from cozmo_driver.robot import Pose2D
from cozmo_driver.ros.geometry import quaternion
from cozmo_interfaces.srv import SetOdometry

_ORIGIN = Pose2D(0.020)
"""The robot's origin, as seen from base_footprint."""
_CLEARANCE = 0.10
"""Least distance of a goal to whatever the map holds, m."""
_START_TIME, _GOAL_TIME = 120.0, 90.0


@dataclass(frozen=True)
class Outcome:
    """How a goal ended: in s, m, rad; the errors are those in the world."""

    is_reached: bool
    error_code: int
    time: float
    distance: float
    heading: float


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
        return self._result(client.call_async(request), _START_TIME)

    def tell_the_truth(self) -> None:
        """Correct the odometry, as something that finds the robot in the map would."""
        self.call(SetOdometry, "set_odometry", SetOdometry.Request(pose=_message(self.truth)))

    def go(self, goal: Pose2D) -> Outcome:
        """Drive to a pose in the map."""
        started = time.monotonic()
        pose = PoseStamped(header=Header(frame_id="map"), pose=_message(goal))
        self._client.wait_for_server()
        handle = self._result(self._client.send_goal_async(NavigateToPose.Goal(pose=pose)), 10.0)
        result = self._result(handle.get_result_async(), _GOAL_TIME)
        took = time.monotonic() - started
        off = self.truth.inverse().compose(goal)
        is_reached = result.status == GoalStatus.STATUS_SUCCEEDED
        error_code = int(result.result.error_code)
        return Outcome(is_reached, error_code, took, math.hypot(off.x, off.y), abs(off.yaw))

    def _result(self, future: Any, timeout: float) -> Any:
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=timeout)
        if not future.done():
            raise TimeoutError("no answer came")
        return future.result()


def random_goals(count: int, seed: int) -> list[Pose2D]:
    """Return poses in the room that are clear of everything, with random headings."""
    occupancy = occupancy_map(load_layout(find_world("room")))
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
    return (
        f"| {reached} of {len(outcomes)} | {spread(lambda o: o.time, '.1f')} s "
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
    chosen = parser.parse_args()
    names = {"namespace": chosen.namespace, "frame_prefix": chosen.frame_prefix}
    world = World(load_layout(find_world("room")), seed=chosen.seed, ideal=chosen.ideal)
    logs = Path(tempfile.mkdtemp(prefix="navigation_"))
    print(f"logs: {logs}", file=sys.stderr)
    rclpy.init()
    with ExitStack() as stack:
        emulator = stack.enter_context(
            running_emulator(world=world, seed=chosen.seed, ideal=chosen.ideal)
        )
        driver = {"robot_address": "127.0.0.1", "robot_port": emulator.port, "face": "false"}
        stack.enter_context(launched("cozmo.launch.py", logs / "driver.log", **driver, **names))
        stack.enter_context(launched("nav2.launch.py", logs / "nav2.log", **names))
        navigator = Navigator(emulator, chosen.namespace)
        wait_until_active(logs / "nav2.log")
        outcomes = []
        for goal in random_goals(chosen.goals, chosen.seed):
            if chosen.correct:
                navigator.tell_the_truth()
            outcomes.append(navigator.go(goal))
            print(goal, outcomes[-1], flush=True)
        navigator.node.destroy_node()
    rclpy.try_shutdown()
    print(row(outcomes))
    return 0 if all(outcome.is_reached for outcome in outcomes) else 1


def _message(pose: Pose2D) -> Pose:
    return Pose(position=Point(x=pose.x, y=pose.y), orientation=quaternion(pose.yaw))


if __name__ == "__main__":
    sys.exit(main())

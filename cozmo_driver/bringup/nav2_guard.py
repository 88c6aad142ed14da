"""``nav2_guard``: ends Nav2's goals when the robot is lifted, and lets it wait afterwards."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from functools import partial

from action_msgs.srv import CancelGoal
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future

from cozmo_interfaces.msg import RobotEvent, RobotStatus

from ..driver import HOLD, check_after_pickup
from ..ros.clients import NAV2_ACTIONS
from ..ros.parameter_set import FixedSpec as F
from ..ros.parameter_set import ParameterSet
from ..ros.runtime import StopRequest, run_node
from ..ros.topics import EVENT

NODE_NAME = "cozmo_nav2_guard"
_HELP = """\
Beside Nav2: cancels its goals when the robot leaves its treads and until it may drive again, and
sets the driver's after_pickup while it runs."""
_DRIVER = "cozmo_driver"
_PERIOD, _ANSWER_TIMEOUT, _LAST_TIMEOUT = 0.5, 5.0, 2.0
"""s between two looks at the driver, for its answer, and to give its parameter back."""
GUARD_PARAMETERS = (
    F("after_pickup", HOLD, "of the driver while this runs", check=check_after_pickup),
)


class Guard:
    def __init__(self, node: Node) -> None:
        """Look for the driver. Raises ``ParameterError``."""
        self.node = node
        self._wanted: str = ParameterSet(node, GUARD_PARAMETERS)["after_pickup"]
        self._before = ""
        """What the driver's was; empty until it is set."""
        self._get = node.create_client(GetParameters, f"{_DRIVER}/get_parameters")
        self._set = node.create_client(SetParameters, f"{_DRIVER}/set_parameters")
        self._answer: Future | None = None
        self._asked_at = 0.0
        self._cancels = {
            name: node.create_client(CancelGoal, f"{name}/_action/cancel_goal")
            for name in NAV2_ACTIONS
        }
        node.create_subscription(RobotEvent, "events", self._on_event, EVENT)
        node.create_subscription(RobotStatus, "status", self._on_status, 1)
        node.create_timer(_PERIOD, self._look_for_driver)

    def run(self, stop: StopRequest) -> None:
        """Wait for the end, then give the driver's parameter back while the executor spins."""
        stop.wait()
        if self._before and self._set.service_is_ready():
            is_back = threading.Event()
            # What is still asked for gives it back, too.
            self._wanted = self._before
            self._choose(self._wanted).add_done_callback(lambda _: is_back.set())
            is_back.wait(_LAST_TIMEOUT)

    def close(self) -> None:
        """Nothing but the node is to end."""

    def _look_for_driver(self) -> None:
        if not (self._get.service_is_ready() and self._set.service_is_ready()):
            # One that is gone does not answer; it may be only out of sight for a moment.
            self._answer = None
            return
        # Again and again: the answer to a client that the driver does not know yet is lost, and one
        # that died counts as there for some seconds, in which it may have been started again.
        now = time.monotonic()
        if self._answer is not None and not self._answer.done():
            if now - self._asked_at < _ANSWER_TIMEOUT:
                return
            self._get.remove_pending_request(self._answer)
        self._asked_at = now
        self._answer = self._get.call_async(GetParameters.Request(names=["after_pickup"]))
        self._answer.add_done_callback(self._on_value)

    def _on_value(self, answer: Future) -> None:
        response = answer.result()
        if response is None or not response.values:
            return
        value = response.values[0].string_value
        if value != self._wanted:
            self._before = value
            self._choose(self._wanted)
            self.node.get_logger().info(f"after_pickup of {_DRIVER} is {self._wanted}")

    def _choose(self, value: str) -> Future:
        parameter = Parameter("after_pickup", value=value).to_parameter_msg()
        return self._set.call_async(SetParameters.Request(parameters=[parameter]))

    def _on_event(self, event: RobotEvent) -> None:
        if event.type == RobotEvent.DELOCALIZED:
            self._cancel_goals(event.description)

    def _on_status(self, status: RobotStatus) -> None:
        # The driver refuses its commands, so that a new goal would stand until Nav2 gives up.
        if status.is_held_after_pickup:
            self._cancel_goals("the robot was carried: call release_stop, or tell where it is")

    def _cancel_goals(self, why: str) -> None:
        for name, client in self._cancels.items():
            if client.service_is_ready():
                # Of no goal in particular: all of them.
                answer = client.call_async(CancelGoal.Request())
                answer.add_done_callback(partial(self._on_canceled, name, why))

    def _on_canceled(self, name: str, why: str, answer: Future) -> None:
        response = answer.result()
        if response is not None and response.goals_canceling:
            self.node.get_logger().warning(f"goals of {name} are canceled: {why}")


def main(args: Sequence[str] | None = None) -> int:
    return run_node(
        "nav2_guard", _HELP, GUARD_PARAMETERS, lambda node, _: Guard(node), NODE_NAME, args
    )


if __name__ == "__main__":
    sys.exit(main())

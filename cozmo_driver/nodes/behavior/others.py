"""Who else commands the robot: seen by what they publish, and by goals that are not our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from action_msgs.msg import GoalStatus, GoalStatusArray
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.qos import QoSProfile, qos_profile_action_status_default
from std_msgs.msg import Float64

from cozmo_interfaces.msg import RobotStatus

from ..context import NodeContext
from ..topics import COMMAND
from .goals import OwnGoals

CMD_VEL = "cmd_vel"
_COMMANDS = ("cmd_head", "cmd_lift", "cmd_head_velocity", "cmd_lift_velocity")
ACTIONS = (
    "follow_path",
    "go_to_pose",
    "drive_distance",
    "turn_in_place",
    "undock",
    "move_head",
    "move_lift",
    "play_animation",
    "play_audio",
    "say",
    "update_firmware",
    # Of Nav2: between two movements it does not publish cmd_vel, and is not done.
    "navigate_to_pose",
    "navigate_through_poses",
    "follow_waypoints",
)
_AT_WORK = {
    GoalStatus.STATUS_ACCEPTED,
    GoalStatus.STATUS_EXECUTING,
    GoalStatus.STATUS_CANCELING,
}


class GivesWay(Protocol):
    """Whoever gives way; in the loop."""

    def touch(self, who: str) -> None:
        """Give way to one command."""

    def suspend(self, who: str) -> None:
        """Give way until ``resume``."""

    def resume(self, who: str) -> None:
        """Take that ``who`` has ended."""


class Others:
    """Lets the personality give way as soon as somebody else commands the robot."""

    def __init__(self, context: NodeContext, own: OwnGoals, engine: GivesWay) -> None:
        """Watch; goals of ``own`` are not of others."""
        self._context, self._own, self._engine = context, own, engine
        stamped = context.parameters["enable_stamped_cmd_vel"]
        self._commands = [
            self._watch(TwistStamped if stamped else Twist, CMD_VEL),
            *(self._watch(Float64, topic) for topic in _COMMANDS),
        ]
        # Before its status tells of a goal of others, ours may have had to give way to it.
        own.on_taken = engine.touch
        self._at_work: set[str] = set()
        """Actions with goals of others, and cmd_vel while it has the wheels; in the loop."""
        self._statuses = {name: self._follow(name) for name in ACTIONS}

    def look(self, wheels_owner: int) -> None:
        """Take who drives; forget the goals of servers that have gone. In the loop."""
        # Also for what was commanded before this node came.
        self._take(CMD_VEL, wheels_owner == RobotStatus.OWNER_TOPIC)
        for name in self._at_work - {CMD_VEL}:
            if not self._context.node.count_publishers(self._statuses[name].topic_name):
                self._take(name, False)

    def _watch(self, kind: type, topic: str) -> Any:
        return self._subscribe(kind, topic, lambda _: self._engine.touch(topic), COMMAND)

    def _follow(self, action: str) -> Any:
        def take(message: GoalStatusArray) -> None:
            self._take(action, any(self._is_of_others(goal) for goal in message.status_list))

        topic = f"{action}/_action/status"
        return self._subscribe(GoalStatusArray, topic, take, qos_profile_action_status_default)

    def _subscribe(
        self, kind: type, topic: str, take: Callable[[Any], None], qos: QoSProfile
    ) -> Any:
        def hand_over(message: Any) -> None:
            self._context.thread.post(take, message)

        return self._context.node.create_subscription(kind, topic, hand_over, qos)

    def _is_of_others(self, goal: GoalStatus) -> bool:
        is_own = bytes(goal.goal_info.goal_id.uuid) in self._own
        return goal.status in _AT_WORK and not is_own

    def _take(self, who: str, is_at_work: bool) -> None:
        if is_at_work and who not in self._at_work:
            self._at_work.add(who)
            self._engine.suspend(who)
        elif not is_at_work and who in self._at_work:
            self._at_work.remove(who)
            self._engine.resume(who)

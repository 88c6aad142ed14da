"""Who else commands the robot: seen by what they publish, and by goals that are not our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.qos import qos_profile_action_status_default
from std_msgs.msg import Float64

from cozmo_interfaces.msg import RobotStatus

from ..ros.clients import MANIPULATION_ACTIONS, MOVING_ACTIONS, OwnGoals
from ..ros.context import NodeContext
from ..ros.topics import COMMAND
from .engine import Engine

CMD_VEL = "cmd_vel"
_COMMANDS = ("cmd_head", "cmd_lift", "cmd_head_velocity", "cmd_lift_velocity")
ACTIONS = (
    *MOVING_ACTIONS,
    "go_to_pose",
    "undock",
    "play_animation",
    "play_audio",
    "say",
    "sing",
    "dance",
    "update_firmware",
    # Also between two movements.
    *MANIPULATION_ACTIONS,
    "localize",
    "learn_map",
    # Of Nav2: between two movements it does not publish cmd_vel, and is not done.
    "navigate_to_pose",
    "navigate_through_poses",
    "follow_waypoints",
)
_OF_MANIPULATION = frozenset({*MOVING_ACTIONS, "localize"})
"""What manipulation does for who asks it."""
_ACTIVE = {
    GoalStatus.STATUS_ACCEPTED,
    GoalStatus.STATUS_EXECUTING,
    GoalStatus.STATUS_CANCELING,
}


class ForeignGoals:
    """Lets the personality give way as soon as somebody else commands the robot."""

    def __init__(
        self,
        context: NodeContext,
        own: OwnGoals,
        engine: Engine,
        is_manipulation_ours: Callable[[], bool],
    ) -> None:
        """Watch; goals of ``own`` are not of others.

        While ``is_manipulation_ours`` neither are those of manipulation: who takes the wheels from
        it ends what was asked of it.
        """
        self._context, self._own, self._engine = context, own, engine
        self._is_manipulation_ours = is_manipulation_ours
        self._of_manipulation: dict[str, bool] = {}
        """Whether goals that manipulation or others sent are active."""
        stamped = context.parameters["enable_stamped_cmd_vel"]
        self._watch_topic(TwistStamped if stamped else Twist, CMD_VEL)
        for topic in _COMMANDS:
            self._watch_topic(Float64, topic)
        # Before its status shows a goal of others, ours may have had to give way to it.
        own.on_preempted = engine.touch
        self._active: set[str] = set()
        """Actions with goals of others, and cmd_vel while it has the wheels; in the loop."""
        self._statuses = {name: self._watch_action(name) for name in ACTIONS}

    def update(self, wheels_owner: int) -> None:
        """Take who drives; forget the goals of servers that have gone. In the loop."""
        # Also for what was commanded before this node came.
        self._set(CMD_VEL, wheels_owner == RobotStatus.OWNER_TOPIC)
        if not self._is_manipulation_ours():
            for name, is_active in self._of_manipulation.items():
                self._set(name, is_active)
        for name in self._active - {CMD_VEL}:
            if not self._context.node.count_publishers(self._statuses[name].topic_name):
                self._of_manipulation.pop(name, None)
                self._set(name, False)

    def _watch_topic(self, kind: type, topic: str) -> None:
        self._context.listen(kind, topic, lambda _: self._engine.touch(topic), COMMAND)

    def _watch_action(self, action: str) -> Any:
        def on_status(message: GoalStatusArray) -> None:
            is_active = any(self._is_of_others(goal) for goal in message.status_list)
            if action in _OF_MANIPULATION:
                self._of_manipulation[action] = is_active
            if not (is_active and action in _OF_MANIPULATION and self._is_manipulation_ours()):
                self._set(action, is_active)

        topic = f"{action}/_action/status"
        return self._context.listen(
            GoalStatusArray, topic, on_status, qos_profile_action_status_default
        )

    def _is_of_others(self, goal: GoalStatus) -> bool:
        is_own = bytes(goal.goal_info.goal_id.uuid) in self._own
        return goal.status in _ACTIVE and not is_own

    def _set(self, who: str, is_active: bool) -> None:
        if is_active and who not in self._active:
            self._active.add(who)
            self._engine.suspend(who)
        elif not is_active and who in self._active:
            self._active.remove(who)
            self._engine.resume(who)

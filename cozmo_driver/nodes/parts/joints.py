"""``joint_states``."""

from __future__ import annotations

from sensor_msgs.msg import JointState

from ...robot import RobotState
from ...robot.motion.motors import JOINTS, JointTracker
from ..context import Context
from ..conversions.robot import fill_joint_state
from ..qos import SENSOR


class JointsPart:
    """Publishes head, lift and wheels with every state of the robot."""

    def __init__(self, context: Context) -> None:
        """Follow the robot's states."""
        self._context = context
        self._publisher = context.node.create_publisher(JointState, "joint_states", SENSOR)
        self._tracker = JointTracker()
        self._message = JointState()
        self._message.name = list(JOINTS)
        context.robot.on_state.connect(self._publish)

    def _publish(self, state: RobotState) -> None:
        joints = self._tracker.update(state)
        self._publisher.publish(
            fill_joint_state(
                self._message,
                self._context.stamp(state.time),
                joints.positions,
                joints.velocities,
            )
        )

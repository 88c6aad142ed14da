"""``joint_states``."""

from __future__ import annotations

from sensor_msgs.msg import JointState

from ...robot import RobotState
from ...robot.joint_tracker import JOINTS, JointTracker
from ..context import Context
from ..conversions.motion import joint_state_message
from ..qos import SENSOR


class JointsPart:
    """Publishes head, lift and wheels with every state of the robot."""

    def __init__(self, context: Context) -> None:
        """Follow the robot's states."""
        self._context = context
        self._publisher = context.node.create_publisher(JointState, "joint_states", SENSOR)
        self._tracker = JointTracker()
        context.robot.on_state.connect(self._publish)

    def _publish(self, state: RobotState) -> None:
        joints = self._tracker.update(state)
        self._publisher.publish(
            joint_state_message(
                self._context.stamp(state.time), JOINTS, joints.positions, joints.velocities
            )
        )

"""The node `robot_state_publisher`, named as in the package of that name."""

from __future__ import annotations

import signal
import sys

import rclpy
from geometry_msgs.msg import TransformStamped
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from rclpy.time import Time
from robot_state_publisher.description import FREE, Joint, Pose, parse
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster

# Name: (default, what it does)
PARAMETERS = {
    "robot_description": ("", "URDF of the robot"),
    "publish_frequency": (20.0, "most often that the transforms of a joint are published, in Hz"),
    "frame_prefix": ("", "put in front of every frame's name"),
    "ignore_timestamp": (False, "publish every joint state, whatever its stamp"),
}


class RobotStatePublisher(Node):
    """Publishes `/tf` from `joint_states`; `/tf_static` and `robot_description` once, latched."""

    def __init__(self, **options: object) -> None:
        super().__init__("robot_state_publisher", **options)
        for name, (default, text) in PARAMETERS.items():
            about = ParameterDescriptor(description=text, read_only=True)
            self.declare_parameter(name, default, about)
        urdf, frequency, self._prefix, self._ignore_stamp = (
            parameter.value for parameter in self.get_parameters(list(PARAMETERS))
        )
        if not urdf:
            raise ValueError("robot_description must not be empty")
        if not 0.0 < frequency <= 1000.0:
            raise ValueError(
                f"publish_frequency is {frequency}: it must be above 0 and at most 1000"
            )
        self._joints = parse(urdf)
        self._interval = int(1e9 / frequency)
        self._published: dict[str, int] = {}
        self._last_call = 0
        self._broadcaster = TransformBroadcaster(self)
        self._static_broadcaster = StaticTransformBroadcaster(self)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.create_publisher(String, "robot_description", latched)
        self._description.publish(String(data=urdf))
        now = self.get_clock().now()
        self._static_broadcaster.sendTransform(
            self._transform(joint, joint.pose(0.0), now)
            for joint in self._joints.values()
            if joint.kind == "fixed"
        )
        self.create_subscription(
            JointState, "joint_states", self._on_joint_state, qos_profile_sensor_data
        )

    def _on_joint_state(self, state: JointState) -> None:
        if len(state.name) != len(state.position):
            self.get_logger().warning(
                f"ignored a joint state: {len(state.name)} names, {len(state.position)} positions",
                throttle_duration_sec=5.0,
            )
            return
        now = self.get_clock().now().nanoseconds
        if now < self._last_call:
            self.get_logger().warning("time went back: publishing every joint again")
            self._published.clear()
        self._last_call = now
        stamp = Time.from_msg(state.header.stamp).nanoseconds
        oldest = min((self._published.get(name, 0) for name in state.name), default=0)
        if not self._ignore_stamp and stamp < oldest + self._interval:
            return
        self._published.update(dict.fromkeys(state.name, stamp))
        self._publish(
            dict(zip(state.name, state.position, strict=True)), Time.from_msg(state.header.stamp)
        )

    def _publish(self, positions: dict[str, float], stamp: Time) -> None:
        followers = {
            joint.name: positions[joint.mimic.joint] * joint.mimic.multiplier + joint.mimic.offset
            for joint in self._joints.values()
            if joint.mimic is not None and joint.mimic.joint in positions
        }
        # A follower that is reported itself is where it is reported.
        positions = {**followers, **positions}
        moving = [
            self._transform(joint, joint.pose(positions[name]), stamp)
            for name, joint in self._joints.items()
            if name in positions and joint.kind != "fixed" and joint.kind not in FREE
        ]
        if moving:
            self._broadcaster.sendTransform(moving)

    def _transform(self, joint: Joint, pose: Pose, stamp: Time) -> TransformStamped:
        message = TransformStamped()
        message.header.stamp = stamp.to_msg()
        message.header.frame_id = self._prefix + joint.parent
        message.child_frame_id = self._prefix + joint.child
        at, turn = message.transform.translation, message.transform.rotation
        (at.x, at.y, at.z), (turn.x, turn.y, turn.z, turn.w) = pose
        return message


def main(arguments: list[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM."""
    # An end by rclpy itself, amid a message or a wait, would be an error now and then.
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    # No Event: a second signal amid its set() would wait for the first.
    ended: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: ended.append(number))
    try:
        node = RobotStatePublisher()
    except ValueError as error:
        print(f"robot_state_publisher: {error}", file=sys.stderr)
        return 1
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    while not ended:
        executor.spin_once(timeout_sec=0.1)
    return 0


if __name__ == "__main__":
    sys.exit(main())

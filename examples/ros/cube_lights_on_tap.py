"""Give a cube its next colour whenever it is tapped.

python3 examples/ros/cube_lights_on_tap.py
"""

from __future__ import annotations

import signal

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import ColorRGBA

from cozmo_interfaces.msg import CubeEvent, CubeLights, LightState

COLORS = (
    ColorRGBA(r=1.0, a=1.0),
    ColorRGBA(g=1.0, a=1.0),
    ColorRGBA(b=1.0, a=1.0),
    ColorRGBA(r=1.0, g=1.0, a=1.0),
)


class Tapped(Node):
    """Publishes ``cube_lights`` for each tap among ``cube_events``."""

    def __init__(self) -> None:
        super().__init__("tapped")
        self.taps: dict[int, int] = {}
        self.publisher = self.create_publisher(CubeLights, "cube_lights", 10)
        self.create_subscription(CubeEvent, "cube_events", self.take, 10)

    def take(self, event: CubeEvent) -> None:
        """Show the next colour on a cube that was tapped."""
        if event.type not in (CubeEvent.TAPPED, CubeEvent.DOUBLE_TAPPED):
            return
        taps = self.taps.get(event.factory_id, 0)
        self.taps[event.factory_id] = taps + 1
        light = LightState(on_color=COLORS[taps % len(COLORS)])
        self.publisher.publish(CubeLights(factory_id=event.factory_id, lights=[light] * 4))
        self.get_logger().info(f"{event.description}: tap {taps + 1}")


def main() -> None:
    """Answer taps until Ctrl-C."""
    # An end by rclpy itself, amid a message or a wait, would be an error now and then.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    ended: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: ended.append(number))
    node = Tapped()
    while not ended:
        rclpy.spin_once(node, timeout_sec=0.1)


if __name__ == "__main__":
    main()

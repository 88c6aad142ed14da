"""The vision node beside the driver, with two cubes in sight: CPU, and how late objects are."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of

from .. import DOMAIN
from ..node_cpu import cpu_share, ros_program, wait_for_client
from ..rows import Row, limit_row

_ROOM = {
    "name": "room",
    "floor": [{"rectangle": [-1, -1, 2, 1], "pattern": "wood"}],
    "cubes": [
        {"number": 1, "x": 0.17, "y": 0.045, "yaw": 35},
        {"number": 2, "x": 0.21, "y": -0.05, "yaw": -20},
    ],
}
_LISTENER = """
import json, time
import rclpy
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Float64
from vision_msgs.msg import Detection3DArray

rclpy.init()
node = rclpy.create_node("listener")
came, late = {}, []
head = node.create_publisher(Float64, "cmd_head", 10)

def on_picture(message):
    came[message.header.stamp.sec, message.header.stamp.nanosec] = time.monotonic()

def on_objects(message):
    at = came.get((message.header.stamp.sec, message.header.stamp.nanosec))
    if at is not None and len(message.detections) == 2:
        late.append(1000 * (time.monotonic() - at))

node.create_subscription(CompressedImage, "camera/image_raw/compressed", on_picture, 10)
node.create_subscription(Detection3DArray, "objects", on_objects, 10)
node.create_timer(1.0, lambda: late or head.publish(Float64(data=0.0)))
while len(late) < 300:
    rclpy.spin_once(node)
print(json.dumps(late), flush=True)
rclpy.spin(node)
"""


def rows() -> list[Row]:
    """Measure and return the rows of the node."""
    world = World(layout_of(_ROOM, ""))
    with (
        running_emulator(calibration_time=0.0, world=world) as emulator,
        ros_program("driver_node", robot_address="127.0.0.1", robot_port=emulator.port),
        ros_program("vision_node") as pid,
        subprocess.Popen(
            [sys.executable, "-c", _LISTENER],
            env={**os.environ, "ROS_DOMAIN_ID": DOMAIN},
            stdout=subprocess.PIPE,
            text=True,
        ) as listener,
    ):
        try:
            wait_for_client(emulator)
            assert listener.stdout is not None
            late = json.loads(listener.stdout.readline())
            cpu = cpu_share(pid)
        finally:
            listener.kill()
    return [
        limit_row("CPU of the vision node, 15 pictures/s of two cubes", None, cpu, 12, "%"),
        limit_row(
            "a picture's arrival to its objects, median", None, statistics.median(late), 15, "ms"
        ),
    ]

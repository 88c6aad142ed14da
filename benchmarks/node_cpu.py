"""CPU of the driver node, ROS publishing included, and of PyCozmo's client on the same robot."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil

from cozmo_driver.emulator import running_emulator

from .rows import Row, limit_row

_WARM_UP = 4.0
_SECONDS = 10.0

_PYCOZMO = """
import sys, time, pycozmo
client = pycozmo.Client(("127.0.0.1", int(sys.argv[1])))
client.start(); client.connect(); client.wait_for_robot()
client.enable_camera(sys.argv[2] == "camera")
if sys.argv[2] == "camera":
    client.add_handler(pycozmo.event.EvtNewRawCameraImage, lambda *_: None)
time.sleep(3600)
"""
_SUBSCRIBER = """
import rclpy
from sensor_msgs.msg import CompressedImage, Image
rclpy.init()
node = rclpy.create_node("listener")
import sys
kind, topic = ((Image, "camera/image_raw"), (CompressedImage, "camera/image_raw/compressed"))[
    sys.argv[1] == "compressed"
]
node.create_subscription(kind, topic, lambda _: None, 10)
rclpy.spin(node)
"""


def cpu_share(pid: int) -> float:
    """Return the CPU that a process uses over some seconds, in % of a core."""
    process = psutil.Process(pid)
    time.sleep(_WARM_UP)
    before, start = sum(process.cpu_times()[:2]), time.monotonic()
    time.sleep(_SECONDS)
    return (sum(process.cpu_times()[:2]) - before) / (time.monotonic() - start) * 100.0


@contextlib.contextmanager
def _process(*command: str, environment: dict[str, str] | None = None) -> Iterator[int]:
    process = subprocess.Popen(
        command,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _pycozmo(camera: bool) -> float:
    with (
        running_emulator() as emulator,
        _process(
            sys.executable, "-c", _PYCOZMO, str(emulator.port), "camera" if camera else "no"
        ) as pid,
    ):
        return cpu_share(pid)


def _node(camera: bool, listener: str | None) -> float:
    driver = shutil.which("driver_node")
    if driver is None:
        raise SystemExit("driver_node is not on the path: run this through scripts/env")
    domain = {"ROS_DOMAIN_ID": os.environ.get("BENCH_DOMAIN_ID", "77")}
    with running_emulator() as emulator, contextlib.ExitStack() as stack:
        if listener:
            stack.enter_context(
                _process(sys.executable, "-c", _SUBSCRIBER, listener, environment=domain)
            )
        pid = stack.enter_context(
            _process(
                driver,
                "--ros-args",
                "-p",
                "robot_address:=127.0.0.1",
                "-p",
                f"robot_port:={emulator.port}",
                "-p",
                f"camera_enabled:={'true' if camera else 'false'}",
                environment=domain,
            )
        )
        return cpu_share(pid)


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    still, moving = _pycozmo(camera=False), _pycozmo(camera=True)
    return [
        limit_row(
            "CPU at 33 states/s (node with ROS, client without)", still, _node(False, None), 5, "%"
        ),
        limit_row(
            "CPU with 15 pictures/s, compressed out", moving, _node(True, "compressed"), 8, "%"
        ),
        limit_row("CPU with 15 pictures/s, raw subscribed", None, _node(True, "raw"), 14, "%"),
    ]

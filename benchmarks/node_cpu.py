"""CPU of the driver node, ROS publishing included, and of PyCozmo's client on the same robot."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import psutil

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import find_world, load_layout

from . import DOMAIN
from .rows import Row, limit_row

_START_TIMEOUT, _WARM_UP = 60.0, 4.0
"""s to connect at most, and from then on until all is still: starting up does not count."""
_SECONDS = 10.0
_ALIVE = {
    "enabled": True,
    "allow_motion": True,
    "keep_needs": False,
    "keep_trace": False,
    "seed": 1,
}
_COME_TO_LIFE, _LIFE = 12.0, 40.0
"""s to read all files, and to measure: life is not the same every second."""

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


def cpu_share(pid: int, seconds: float = _SECONDS) -> float:
    """Return the CPU that a process uses over some seconds, in % of a core."""
    process = psutil.Process(pid)
    time.sleep(_WARM_UP)
    before, start = sum(process.cpu_times()[:2]), time.monotonic()
    time.sleep(seconds)
    return (sum(process.cpu_times()[:2]) - before) / (time.monotonic() - start) * 100.0


@contextlib.contextmanager
def running(
    *command: str, environment: dict[str, str] | None = None, output: Any = subprocess.DEVNULL
) -> Iterator[int]:
    """Run a program for the time of a ``with`` block; its number."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **(environment or {})},
        stdout=output,
        stderr=output,
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
        running(
            sys.executable, "-c", _PYCOZMO, str(emulator.port), "camera" if camera else "no"
        ) as pid,
    ):
        wait_for_client(emulator)
        return cpu_share(pid)


def wait_for_client(emulator: RunningEmulator) -> None:
    emulator.wait_for(lambda state: state.connected, _START_TIMEOUT)


@contextlib.contextmanager
def ros_program(name: str, namespace: str = "", **parameters: object) -> Iterator[int]:
    """Run a program of the project with parameters; yield its process."""
    path = shutil.which(name)
    if path is None:
        raise SystemExit(f"{name} is not on the path: run this through scripts/env")
    words = [f"{key}:={_yaml(value)}" for key, value in parameters.items()]
    options = [option for word in words for option in ("-p", word)]
    options += ["-r", f"__ns:={namespace}"] if namespace else []
    with running(path, "--ros-args", *options, environment=_domain()) as pid:
        yield pid


def _yaml(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _domain() -> dict[str, str]:
    return {"ROS_DOMAIN_ID": DOMAIN}


@contextlib.contextmanager
def _driver(camera: bool, world: World | None = None) -> Iterator[int]:
    with (
        running_emulator(world=world) as emulator,
        ros_program(
            "driver_node",
            robot_address="127.0.0.1",
            robot_port=emulator.port,
            camera_enabled=camera,
        ) as pid,
    ):
        wait_for_client(emulator)
        yield pid


def _node(camera: bool, listener: str | None) -> float:
    with contextlib.ExitStack() as stack:
        if listener:
            stack.enter_context(
                running(sys.executable, "-c", _SUBSCRIBER, listener, environment=_domain())
            )
        return cpu_share(stack.enter_context(_driver(camera)))


def _beside_driver(name: str, **parameters: object) -> float:
    with _driver(camera=False), ros_program(name, **parameters) as pid:
        time.sleep(_COME_TO_LIFE)
        return cpu_share(pid, _LIFE)


def _with_eyes() -> float:
    """Measure the behaviour node where it sees people and cubes, and may handle them."""
    world = World(load_layout(find_world("visit")), seed=1)
    with (
        _driver(True, world),
        ros_program("vision_node", modes="markers,faces,motion"),
        ros_program("manipulation_node"),
        ros_program("behavior_node", **_ALIVE) as pid,
    ):
        time.sleep(_COME_TO_LIFE)
        return cpu_share(pid, _LIFE)


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
        limit_row("CPU of the face node", None, _beside_driver("face_node"), 3, "%"),
        limit_row(
            "CPU of the behaviour node, driving about",
            None,
            _beside_driver("behavior_node", **_ALIVE),
            3,
            "%",
        ),
        limit_row("CPU of the behaviour node, with eyes and hands", None, _with_eyes(), 5, "%"),
    ]

"""Pictures over time: do the last ones come as fast as the first, and does memory stay?

``python -m benchmarks.backlog --seconds 600`` runs the driver for longer than ``make bench`` does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

import psutil

from cozmo_driver.emulator import running_emulator
from cozmo_driver.protocol import decode_message, messages
from cozmo_driver.protocol.connection import MessageReceived
from cozmo_driver.protocol.enums import RobotStatusFlag
from cozmo_driver.protocol.frames import parse_frame
from cozmo_driver.protocol.structs import AccelData, GyroData, RobotPose
from cozmo_driver.robot import CameraOptions, Image, Robot, RobotOptions

from . import DOMAIN
from .rows import Row, limit_row, table

_CAPTURE = Path(__file__).parent.parent / "test" / "data" / "captures" / "image_gray_1.log"
_IMAGE_CHUNK = b"\xf2"
_HOUR = 15 * 3600
"""Pictures."""
_STATES_PER_PICTURE = 2
_PICTURE_PERIOD = 1 / 15
_WINDOW = 15 * 60
"""Pictures that are compared: the first and the last minute of the hour."""
_START_UP = 30.0
_WARM_UP = 3.0
_SECONDS = 20.0
_SLOW_PAUSE = 0.5

_SUBSCRIBER = """
import json, sys, time
import rclpy
from sensor_msgs.msg import CompressedImage, Image

pause = float(sys.argv[1])
rclpy.init()
node = rclpy.create_node("listener")
ages = {"raw": [], "compressed": []}

def take(name, message):
    stamp = message.header.stamp
    now = node.get_clock().now().nanoseconds
    ages[name].append((time.monotonic(), (now - stamp.sec * 10**9 - stamp.nanosec) * 1e-6))
    time.sleep(pause)

node.create_subscription(Image, "camera/image_raw", lambda m: take("raw", m), 10)
node.create_subscription(
    CompressedImage, "camera/image_raw/compressed", lambda m: take("compressed", m), 10
)
print("ready", flush=True)
import threading
end = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), end.set()), daemon=True).start()
while not end.is_set():
    rclpy.spin_once(node, timeout_sec=0.1)
print(json.dumps(ages), flush=True)
"""


# -- an hour in the robot layer, as fast as it goes


def _recorded_chunks() -> list[messages.ImageChunk]:
    """Return the chunks of a real robot's picture."""
    lines = _CAPTURE.read_text().splitlines()
    datagrams = [bytes.fromhex(line.split(maxsplit=2)[2]) for line in lines if " RX " in line]
    decoded = [
        decode_message(sub.payload)
        for datagram in datagrams
        for sub in parse_frame(datagram).sub_messages()
        if sub.payload[:1] == _IMAGE_CHUNK
    ]
    chunks = [message for message in decoded if isinstance(message, messages.ImageChunk)]
    first = next(i for i, chunk in enumerate(chunks) if chunk.chunk_id == 0)
    whole = [chunk for chunk in chunks if chunk.image_id == chunks[first].image_id]
    assert whole[-1].image_chunk_count == len(whole)
    return whole


def _still(timestamp: int) -> messages.RobotState:
    zeros = (0.0, 0.0, 0.0)
    return messages.RobotState(
        timestamp=timestamp,
        pose_frame_id=0,
        pose_origin_id=1,
        pose=RobotPose(*zeros, 0.0, 0.0),
        lwheel_speed_mmps=0.0,
        rwheel_speed_mmps=0.0,
        head_angle=0.0,
        lift_angle=0.0,
        accel=AccelData(0.0, 0.0, 9800.0),
        gyro=GyroData(*zeros),
        battery_voltage=4.0,
        status=int(RobotStatusFlag.IS_BODY_ACC_MODE),
        cliff_data_raw=(880, 0, 0, 0),
        backpack_touch_sensor_raw=0,
        curr_path_segment=-1,
    )


async def _hour() -> tuple[array[float], float, float]:
    """Return the ages of an hour's pictures in ms, memory kept in MB, time per picture, us."""
    robot = Robot(RobotOptions("127.0.0.1", 9, camera=CameraOptions(auto_exposure=True)))
    handle, chunks = robot.session.handle_event, _recorded_chunks()
    ages = array("d")
    now = 1000.0

    def take(image: Image) -> None:
        ages.append((now - image.time) * 1000.0)

    robot.on_image.connect(take)
    # What is to be sent is refused as long as nobody is connected, and nobody ever is.
    robot.session.link.open()
    handle(MessageReceived(messages.SyncTimeAck(), True), now)
    memory = 0
    process = psutil.Process()
    start = time.process_time()
    for number in range(_HOUR):
        taken_at = round(number * _PICTURE_PERIOD * 1000) + 1000
        for part in range(_STATES_PER_PICTURE):
            state = _still(taken_at + part * 30)
            handle(MessageReceived(state, False), 1000.0 + state.timestamp / 1000.0 + 0.002)
        now = 1000.0 + taken_at / 1000.0 + 0.045
        for chunk in chunks:
            stamp = taken_at if chunk.image_chunk_count else 0
            numbered = chunk._replace(image_id=number, frame_time_stamp=stamp)
            handle(MessageReceived(numbered, False), now)
        if number == _WINDOW:
            gc.collect()
            memory = process.memory_info().rss
    spent = time.process_time() - start
    robot.session.link.close()
    gc.collect()
    return ages, (process.memory_info().rss - memory) / 1e6, spent / _HOUR * 1e6


def _hour_rows() -> list[Row]:
    ages, memory, cost = asyncio.run(_hour())
    later = statistics.mean(ages[-_WINDOW:]) - statistics.mean(ages[:_WINDOW])
    print(f"{len(ages)} of {_HOUR} pictures came, {cost:.0f} us each", file=sys.stderr)
    return [
        limit_row("an hour of pictures at once: last ones older by", None, abs(later), 1, "ms"),
        limit_row("an hour of pictures at once: memory grown by", None, memory, 2, "MB"),
    ]


# -- the driver with subscribers of both topics


@contextlib.contextmanager
def _program(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command,
        env={**os.environ, "ROS_DOMAIN_ID": DOMAIN},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _watch(seconds: float) -> tuple[list[dict[str, list[list[float]]]], float]:
    """Return times in s and ages in ms at a prompt and at a slow subscriber, and MB grown."""
    driver = shutil.which("driver_node")
    if driver is None:
        raise SystemExit("driver_node is not on the path: run this through scripts/env")
    with running_emulator() as emulator, contextlib.ExitStack() as stack:
        listeners = [
            stack.enter_context(_program(sys.executable, "-c", _SUBSCRIBER, str(pause)))
            for pause in (0.0, _SLOW_PAUSE)
        ]
        for listener in listeners:
            assert listener.stdout is not None
            assert listener.stdout.readline() == "ready\n"
        address = ("-p", "robot_address:=127.0.0.1", "-p", f"robot_port:={emulator.port}")
        node = stack.enter_context(_program(driver, "--ros-args", *address))
        emulator.wait_for(lambda state: state.images_sent > 30, _START_UP)
        time.sleep(_WARM_UP)
        memory = psutil.Process(node.pid).memory_info
        before = memory().rss
        time.sleep(seconds)
        grown = (memory().rss - before) / 1e6
        return [json.loads(listener.communicate("\n", 30)[0]) for listener in listeners], grown


def _later(arrivals: list[list[float]], seconds: float) -> tuple[float, float]:
    """Return the median age of the last quarter's pictures, and by how much it has grown, ms."""
    end = arrivals[-1][0]
    start = end - seconds
    first = [age for at, age in arrivals if start <= at < start + seconds / 4]
    last = [age for at, age in arrivals if at > end - seconds / 4]
    return statistics.median(last), statistics.median(last) - statistics.median(first)


def _live_rows(seconds: float) -> list[Row]:
    (prompt, slow), grown = _watch(seconds)
    result = []
    for who, ages, limit in (
        ("prompt subscriber", prompt, 10),
        ("one that takes two a second", slow, 250),
    ):
        for topic, arrivals in ages.items():
            age, later = _later(arrivals, seconds)
            print(f"{who}, {topic}: {len(arrivals)} pictures, {age:.1f} ms old", file=sys.stderr)
            work = f"{seconds:g} s of pictures, {topic}, {who}: older by"
            result.append(limit_row(work, None, later, limit, "ms"))
    result.append(
        limit_row(f"{seconds:g} s of pictures, one slow: driver grown by", None, grown, 2, "MB")
    )
    return result


def rows(seconds: float = _SECONDS) -> list[Row]:
    """Measure and return the rows of this section."""
    return [*_hour_rows(), *_live_rows(seconds)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="for the driver")
    measured = rows(parser.parse_args().seconds)
    print(table(measured))
    sys.exit(0 if all(row.met for row in measured) else 1)

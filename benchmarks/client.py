"""One client in a process of its own: connects, sends numbered commands, prints what it cost.

``python -m benchmarks.client {ours,pycozmo} --port N --count 200 --interval 0.02 --seconds 8``
prints the times (monotonic clock, s) at which each command was handed over, and the CPU share while
sending. The clients send SetAudioVolume with the values 1 to ``count``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time

from cozmo_driver.link import LoopThread, shorten_pauses, with_timeout
from cozmo_driver.robot import CameraOptions, Phase, Robot, RobotOptions


def _send_paced(send: object, count: int, interval: float) -> list[float]:
    handed_over = []
    due = time.monotonic()
    for value in range(1, count + 1):
        due += interval
        time.sleep(max(0.0, due - time.monotonic()))
        handed_over.append(time.monotonic())
        send(value)  # type: ignore[operator]
    return handed_over


def _report(handed_over: list[float], cpu_from: tuple[float, float]) -> None:
    cpu0, wall0 = cpu_from
    wall = time.monotonic() - wall0
    print(json.dumps({"sent": handed_over, "cpu": (time.process_time() - cpu0) / wall}), flush=True)


def run_ours(port: int, count: int, interval: float, settle: float) -> None:
    """Run our robot layer as the driver node does: loop in a thread, commands handed over."""
    from cozmo_driver.protocol import messages

    thread = LoopThread()
    robot = Robot(RobotOptions("127.0.0.1", port, camera=CameraOptions(enabled=False), volume=0.0))
    ready = asyncio.Event()
    robot.on_session.connect(lambda s: ready.set() if s.phase is Phase.CONNECTED else None)
    thread.run(robot.start())
    thread.run(with_timeout(30.0, ready.wait()))
    shorten_pauses()
    start = (time.process_time(), time.monotonic())
    sent = _send_paced(
        lambda value: thread.post(robot.session.send, messages.SetAudioVolume(value)),
        count,
        interval,
    )
    time.sleep(settle)
    _report(sent, start)
    thread.run(robot.stop())
    thread.stop()


def run_pycozmo(port: int, count: int, interval: float, settle: float) -> None:
    """Run PyCozmo's client with its face and animations off, as light as it goes."""
    import pycozmo

    client = pycozmo.Client(("127.0.0.1", port), enable_procedural_face=False)
    client.start()
    client.connect()
    client.wait_for_robot(timeout=30)
    start = (time.process_time(), time.monotonic())
    sent = _send_paced(
        lambda value: client.conn.send(pycozmo.protocol_encoder.SetRobotVolume(level=value)),
        count,
        interval,
    )
    time.sleep(settle)
    _report(sent, start)
    client.disconnect()
    client.stop()


def main() -> None:
    """Run the client named on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("client", choices=("ours", "pycozmo"))
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--interval", type=float, default=0.02)
    parser.add_argument("--settle", type=float, default=1.0)
    args = parser.parse_args()
    run = run_ours if args.client == "ours" else run_pycozmo
    run(args.port, args.count, args.interval, args.settle)


if __name__ == "__main__":
    main()

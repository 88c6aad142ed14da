"""An evening over the graph, in real time: all nodes, somebody who plays along, a film strip of it.

``python -m benchmarks.evening --minutes 30``. The robot lives in the world ``visit`` of the
emulator with its driver, eyes, hands and personality, each in its own process. Exit code 1 where a
node ended, or where it had nothing to do for a minute.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from PIL import Image, ImageDraw, ImageFont
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from cozmo_driver.emulator import Pose2D, running_emulator
from cozmo_driver.emulator.handling import Posture
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.emulator.view.top import TopView
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_interfaces.msg import BehaviorState

from . import DOMAIN
from .node_cpu import ros_program, wait_for_client
from .soak.run import running_node

_PAUSE = 10.0, 50.0
"""s between what somebody does."""
_FRAME, _BUSY_AGAIN = 60.0, 60.0
"""s from frame to frame, and s without anything to do that are too long."""
_TILE, _WIDE, _BELOW, _COLUMNS = 215, 250, 132, 6
_PAPER, _INK, _SOFT = (250, 250, 248), (20, 20, 25), (110, 110, 120)
_PICTURE = Path(__file__).parents[1] / "docs" / "images" / "evening.webp"
_ALIVE = {
    "enabled": True,
    "allow_motion": True,
    "allow_leaving_charger": True,
    "allow_going_home": True,
    "keep_needs": False,
    "keep_trace": False,
}


@dataclass(frozen=True, slots=True)
class Frame:
    """What was to be seen at a time, s."""

    at: float
    doing: str
    top: Image.Image
    face: Image.Image
    seen: Image.Image | None


class Person:
    """Somebody in the room who does something to the robot or its cubes now and then."""

    def __init__(self, emulator: RunningEmulator, seed: int) -> None:
        self.done = Counter[str]()
        self._emulator, self._rng = emulator, random.Random(seed)
        self._ways: list[Callable[[], None]] = [
            *[self.tap_cube] * 3,
            *[self.move_cube] * 3,
            self.carry,
            self.shake,
            self.poke,
            self.press_button,
            self.stack,
        ]

    def pause(self) -> float:
        return self._rng.uniform(*_PAUSE)

    def act(self) -> str:
        """Do something; return what."""
        way = self._rng.choice(self._ways)
        if self._emulator.call(lambda f: f.handling.posture) is not Posture.FLAT:
            way = self.carry
        try:
            way()
        except ValueError as error:
            return f"{way.__name__}: {error}"
        self.done[way.__name__] += 1
        return way.__name__

    def _spot(self, far: float) -> Pose2D:
        """Return a place of the floor around the robot, mm."""
        here, way = self._emulator.truth().pose, self._rng.uniform(0.0, 2 * math.pi)
        x = min(max(1000.0 * (here.x + far * math.cos(way)), -800.0), 900.0)
        y = min(max(1000.0 * (here.y + far * math.sin(way)), -800.0), 800.0)
        return Pose2D(x, y, self._rng.uniform(-math.pi, math.pi))

    def tap_cube(self) -> None:
        number = self._rng.randint(1, 3)
        self._emulator.call(lambda f: f.handling.tap(number))

    def move_cube(self) -> None:
        number, spot = self._rng.randint(1, 3), self._spot(0.3)
        self._emulator.call(lambda f: f.place.world.move_cube(number, spot))

    def stack(self) -> None:
        above, below = self._rng.sample((1, 2, 3), 2)
        self._emulator.call(lambda f: f.place.world.stack_cube(above, below))

    def carry(self) -> None:
        spot = self._spot(0.3)
        self._emulator.call(lambda f: f.handling.pick_up())
        time.sleep(4.0)
        self._emulator.call(lambda f: f.handling.put_down(spot))

    def shake(self) -> None:
        self._emulator.call(lambda f: f.handling.pick_up())
        self._emulator.call(lambda f: f.handling.shake(3.0))
        time.sleep(5.0)
        self._emulator.call(lambda f: f.handling.put_down())

    def poke(self) -> None:
        self._emulator.call(lambda f: f.handling.poke())

    def press_button(self) -> None:
        self._emulator.call(lambda f: f.handling.press_button())


class Watcher:
    """Follows ``behavior/state`` of the graph."""

    def __init__(self, node: Node) -> None:
        self.spans: list[tuple[float, str]] = []
        """When it began what, s of the monotonic clock; empty for nothing to do."""
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(BehaviorState, "behavior/state", self._on_state, latched)

    def _on_state(self, message: BehaviorState) -> None:
        waits = message.state in (BehaviorState.IDLE, BehaviorState.DISABLED)
        doing = "" if waits else message.behavior_id or message.suspended_by
        if not self.spans or self.spans[-1][1] != doing:
            self.spans.append((time.monotonic(), doing))

    @property
    def doing(self) -> str:
        return self.spans[-1][1] if self.spans else ""

    def longest_idle(self, end: float) -> float:
        ends = [began for began, _ in self.spans[1:]] + [end]
        idle = [e - b for (b, doing), e in zip(self.spans, ends, strict=True) if not doing]
        return max(idle, default=0.0)


@contextlib.contextmanager
def _household(seed: int) -> Iterator[tuple[RunningEmulator, dict[str, int]]]:
    """Run emulator and nodes; yield it, and the nodes' processes."""
    world = World(load_layout(find_world("visit")), seed=seed)
    with contextlib.ExitStack() as stack:
        emulator = stack.enter_context(running_emulator(world=world, seed=seed))
        nodes: dict[str, int] = {}
        programs: dict[str, dict[str, object]] = {
            "driver_node": {
                "robot_address": "127.0.0.1",
                "robot_port": emulator.port,
                "camera_enabled": True,
            },
            "face_node": {},
            "vision_node": {"modes": "markers,faces,motion"},
            "manipulation_node": {},
            "behavior_node": {**_ALIVE, "seed": seed},
        }
        for name, parameters in programs.items():
            nodes[name] = stack.enter_context(ros_program(name, **parameters))
        wait_for_client(emulator)
        yield emulator, nodes


def run(minutes: float, seed: int) -> tuple[list[Frame], list[str]]:
    """Spend an evening; return a frame a minute, and what was not as it shall be."""
    frames: list[Frame] = []
    wrong: list[str] = []
    with running_node("", "evening", Watcher) as watcher, _household(seed) as (emulator, nodes):
        while not watcher.doing:
            time.sleep(0.5)
        world = emulator.call(lambda f: f.place.world)
        view, person = TopView(world), Person(emulator, seed)
        top = Image.new("RGB", (_WIDE, _TILE))
        processes = {name: psutil.Process(pid) for name, pid in nodes.items()}
        before = {name: sum(one.cpu_times()[:2]) for name, one in processes.items()}
        began = now = time.monotonic()
        acts_at, shot_at = now + person.pause(), now
        while (now := time.monotonic()) < began + 60.0 * minutes:
            top = emulator.call(lambda _: view.update()) or top
            if now >= acts_at:
                print(f"{now - began:6.0f} s  {watcher.doing:40} <- {person.act()}", flush=True)
                acts_at = time.monotonic() + person.pause()
            if now >= shot_at:
                frames.append(_frame(now - began, watcher.doing, top, emulator))
                shot_at += _FRAME
            time.sleep(0.25)
        for name, process in processes.items():
            if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
                wrong.append(f"{name} ended")
                continue
            used = sum(process.cpu_times()[:2]) - before[name]
            print(f"{name:18} {100.0 * used / (now - began):5.1f} % of a core")
        idle, lost = watcher.longest_idle(now), emulator.lost_time()
    counts = Counter(doing for _, doing in watcher.spans if doing)
    print(f"it did: {', '.join(f'{name} {n}' for name, n in counts.most_common())}")
    print(f"somebody did: {dict(person.done)}; longest idle {idle:.1f} s; {lost:.1f} s were lost")
    if idle > _BUSY_AGAIN:
        wrong.append(f"nothing to do for {idle:.0f} s")
    return frames, wrong


def _frame(at: float, doing: str, top: Image.Image, emulator: RunningEmulator) -> Frame:
    face = Image.fromarray(emulator.shown_picture().astype("uint8") * 255)
    seen = emulator.call(lambda f: f.camera.preview())
    return Frame(at, doing, top, face, None if seen is None else Image.fromarray(seen))


def strip(frames: list[Frame]) -> Image.Image:
    """Draw a tile for each frame: from above, the face, what it sees, and what it does."""
    high = _TILE + _BELOW
    rows = math.ceil(len(frames) / _COLUMNS)
    paper = Image.new("RGB", (_COLUMNS * (_WIDE + 10) + 10, rows * high + 10), _PAPER)
    draw, font = ImageDraw.Draw(paper), ImageFont.load_default(13)
    for index, frame in enumerate(frames):
        x = 10 + index % _COLUMNS * (_WIDE + 10)
        y = 10 + index // _COLUMNS * high
        text = f"{frame.at / 60:.0f} min"
        draw.text((x, y), text, _SOFT, font)
        draw.text((x + 48, y), frame.doing or "nothing to do", _INK, font)
        top = frame.top.copy()
        top.thumbnail((_WIDE, _TILE))
        paper.paste(top, (x, y + 18))
        below = y + 22 + _TILE
        paper.paste(frame.face.resize((120, 60)), (x, below))
        if frame.seen is not None:
            paper.paste(frame.seen.convert("RGB").resize((126, 95)), (x + 124, below))
    return paper


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path, default=_PICTURE, help="where the strip goes")
    arguments = parser.parse_args()
    os.environ["ROS_DOMAIN_ID"] = DOMAIN
    frames, wrong = run(arguments.minutes, arguments.seed)
    strip(frames).save(arguments.picture)
    print(f"drawn: {arguments.picture}")
    for text in wrong:
        print(f"NOT AS IT SHALL BE: {text}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

"""What the driver takes for an obstacle on an emulated robot that shakes: rightly and wrongly.

``python -m benchmarks.pushing [--minutes M] [--seeds N]`` prints the tables of docs/simulation.md:
M minutes of free driving with the whole driver at each strength of shaking, in virtual time, and
N walls and hands of each kind, whose states go to the detector alone.
"""

from __future__ import annotations

import argparse
import asyncio
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.options import Identity
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.robot import (
    RobotError,
    RobotState,
    UnexpectedMovement,
    UnexpectedMovementDetector,
    state_from_message,
)
from test.robot.hands import with_robot

SCALES = (1.0, 2.0, 3.0)
HARDWARE = ("1.0", "1.5")
TRACKS = (69.0, 92.0)
"""Effective ones in turns, mm (spec 07)."""
_LEG, _PERIOD = 2.0, 0.05
"""s of a drive from start to stop, and between two commands."""
_STATE = 0.030
_PART = 10.0
"""Minutes that a robot drives before another one does, and stays on the field."""
_WALL_X = 0.2
_FRONT, _REAR, _HALF_WIDTH = 32.1, 55.9, 27.0
_SEPARATION = 0.046
_LONGEST = 3.0
"""s in which something is noticed or not at all."""
_FIELD, _ROOM = 10.0, 1.0
_WALLS = ({"points": [[_WALL_X, -0.8], [_WALL_X, 0.8]], "thickness": 0.01},)


def place(half: float, track: float, seed: int, walls: Sequence[object] = ()) -> World:
    """Return a floor of twice ``half``, m, on which turns are as if of that track, mm."""
    floor = {"rectangle": [-half, -half, half, half], "track": track / 1000.0}
    return World(
        layout_of({"name": "floor", "floor": [floor], "walls": [*walls]}, "floor"), seed=seed
    )


def another(seed: int) -> Identity:
    """Return the identity of another robot, which decides how it differs from others."""
    return Identity(head_serial=0x45A10000 + seed)


# -- driving freely


def free_driving(
    scale: float, hardware: str, track: float, minutes: float, seed: int
) -> tuple[Counter[str], float]:
    """Drive about with the reflex on; return the events, refusals and cut drives, and the way, m.

    Straight, in arcs and turns at 20 to 200 mm/s, with a stop or a change of direction every 2 s;
    head and lift move now and then.
    """
    found: Counter[str] = Counter()
    ways: list[float] = []
    options = {"seed": seed, "hardware": hardware, "shaking": scale, "identity": another(seed)}

    @with_robot(
        {"world": lambda: place(_FIELD, track, seed), **options},
        stop_on_bump=True,
    )
    async def drive(world: Any) -> None:
        robot, random, loop = world.robot, Random(f"{seed} free driving"), world.loop
        await asyncio.sleep(1.0)
        robot.on_event.connect(lambda event: found.update([event.type.name]))
        end = loop.time() + 60.0 * minutes
        while loop.time() < end:
            if random.random() < 0.1:
                robot.joints.set_head_velocity(random.choice((-0.5, 0.5)))
            linear, angular = _speeds(random)
            for number in range(round(_LEG / _PERIOD)):
                if number == 10:
                    robot.joints.set_head_velocity(0.0)
                try:
                    robot.motion.drive(linear, angular)
                except RobotError as error:
                    found.update([f"refused: {error.reason.name}"])
                await asyncio.sleep(_PERIOD)
            if random.random() < 0.5:
                robot.motion.drive(0.0, 0.0)
                await asyncio.sleep(random.choice((0.05, 0.3, 1.0)))
        ways.append(world.firmware.body.driven / 1000.0)

    drive()
    return found, ways[0]


def _speeds(random: Random) -> tuple[float, float]:
    """Return m/s and rad/s of a straight drive, an arc or a turn in place."""
    linear = random.choice((0.02, 0.05, 0.1, 0.2, random.uniform(0.02, 0.2)))
    linear *= random.choice((1.0, 1.0, -1.0))
    angular = random.choice((-1.0, 1.0)) * random.uniform(0.3, 5.0)
    kind = random.random()
    if kind < 0.4:
        return linear, 0.0
    return (linear, angular / 2) if kind < 0.7 else (0.0, angular)


# -- meeting something


class Subject:
    """A robot in a world with its detector, in the robot's own time."""

    def __init__(self, world: World, seed: int, scale: float = 1.0) -> None:
        self.firmware = Firmware(
            EmulatorOptions(seed=seed, shaking=scale, identity=another(seed)), 0.0, world
        )
        self.detector = UnexpectedMovementDetector(_SEPARATION)
        self.time = 0.0
        self.touched_at = -math.inf
        """When something last kept the body from where its treads would have brought it."""
        self.commanded = 0.0, 0.0
        body, settle = self.firmware.body, self.firmware.body.settle
        assert settle is not None

        def watched(before: Pose2D, wanted: Pose2D) -> Pose2D:
            after = settle(before, wanted)
            if after != wanted:
                self.touched_at = self.time
            return after

        body.settle = watched
        # Nobody connects, and joints do not move before they are calibrated.
        self.firmware.joints.head.finish_calibration()
        self.firmware.joints.lift.finish_calibration()
        for _ in self.run(0.3):
            pass

    def drive(self, left: float, right: float) -> None:
        """Set tread speeds, mm/s."""
        self.commanded = left / 1000.0, right / 1000.0
        self.firmware.wheels.drive(left, right, 0.0, 0.0)

    def run(self, seconds: float) -> Iterator[tuple[RobotState, UnexpectedMovement | None]]:
        """Live on; yield every state and what is noticed with it."""
        end = self.time + seconds
        while self.time < end - _STATE / 2:
            self.time += _STATE
            self.firmware.handle_timer(self.time)
            message = self.firmware.states.measure()
            state = state_from_message(message, self.time, self.time)
            yield state, self.detector.update(state, self.commanded)

    def notices(self, since: float) -> float:
        """Return how long after a time something is noticed, s; infinite for not at all."""
        for _, noticed in self.run(_LONGEST):
            if noticed is not None:
                return self.time - since
        return math.inf


@dataclass(frozen=True, slots=True)
class Approach:
    """How a wall is met: mm/s, degrees off its normal, mm away, and which end first."""

    speed: float
    angle: float
    gap: float = 60.0
    is_backwards: bool = False


def latency(approach: Approach, seed: int, scale: float = 1.0) -> float:
    """Return the time from the contact to the notice, s; infinite for none."""
    subject = Subject(place(_ROOM, TRACKS[seed % 2], seed, _WALLS), seed, scale)
    angle = math.radians(approach.angle)
    nose = _REAR if approach.is_backwards else _FRONT
    reach = nose * math.cos(angle) + _HALF_WIDTH * math.sin(angle) + 0.5
    heading = angle + math.pi if approach.is_backwards else angle
    x = 1000.0 * _WALL_X - 5.0 - reach - approach.gap
    subject.firmware.ground.put_down(Pose2D(x, 0.0, heading))
    for _ in subject.run(0.3):
        pass
    speed = -approach.speed if approach.is_backwards else approach.speed
    subject.drive(speed, speed)
    while subject.touched_at < 0.0:
        for _, noticed in subject.run(_STATE):
            assert noticed is None
    return subject.notices(subject.touched_at)


def held_latency(left: float, right: float, seed: int, scale: float, what: str) -> float:
    """Return the time until it is noticed that a robot which drives is held, s.

    ``what`` is held: its body, with tread speeds in mm/s, or its treads.
    """
    subject = Subject(place(_ROOM, TRACKS[seed % 2], seed, _WALLS), seed, scale)
    subject.firmware.ground.put_down(Pose2D(-500.0))
    subject.drive(left, right)
    for _ in subject.run(1.0 + 0.01 * seed):
        pass
    if what == "body":
        subject.firmware.ground.hold(True)
    else:
        for tread in subject.firmware.wheels.both:
            tread.switch(False)
    return subject.notices(subject.time)


_SPEEDS = (20.0, 50.0, 100.0, 200.0)


def _cell(times: list[float]) -> str:
    """Return the shares noticed within 1 and 2 s, and the latest of those within 2 s."""
    one, two = ([t for t in times if t <= limit] for limit in (1.0, 2.0))
    worst = f" ({max(two):.2f} s)" if two else ""
    return f"{100 * len(one) / len(times):.0f}, {100 * len(two) / len(times):.0f} %{worst}"


def _meetings(seeds: int, scale: float) -> Iterator[tuple[str, list[list[float]]]]:
    """Return what is met and the times until it is noticed, for every speed."""
    for name, backwards in (("wall ahead", False), ("wall behind", True)):
        for angle in (0.0, 15.0, 30.0, 45.0):
            approaches = [Approach(s, angle, is_backwards=backwards) for s in _SPEEDS]
            yield (
                f"{name}, {angle:g}°",
                [[latency(a, seed, scale) for seed in range(seeds)] for a in approaches],
            )
    for name, left, right, what in (
        ("body held, straight", 1.0, 1.0, "body"),
        ("body held, arc 1:3", 0.33, 1.0, "body"),
        ("body held, turn in place", -1.0, 1.0, "body"),
        ("treads held", 1.0, 1.0, "treads"),
    ):
        yield (
            name,
            [
                [held_latency(left * s, right * s, seed, scale, what) for seed in range(seeds)]
                for s in _SPEEDS
            ],
        )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--scales", type=float, nargs="+", default=SCALES)
    arguments = parser.parse_args()
    if arguments.minutes:
        print("| shaking | hardware | track | driven | false alarms and refusals |")
        print("|---|---|---|---|---|")
    each = arguments.minutes / len(HARDWARE) / len(TRACKS)
    for scale in arguments.scales if each else ():
        for number, (hardware, track) in enumerate((h, t) for h in HARDWARE for t in TRACKS):
            found, way = Counter[str](), 0.0
            for part in range(math.ceil(each / _PART)):
                minutes = min(_PART, each - part * _PART)
                more, driven = free_driving(scale, hardware, track, minutes, 10 * part + number)
                found, way = found + more, way + driven
            what = ", ".join(f"{count} {name}" for name, count in found.items()) or "0"
            driven_for = f"{each:g} min, {way:.0f} m"
            print(f"| x{scale:g} | {hardware} | {track:g} mm | {driven_for} | {what} |", flush=True)
    if arguments.seeds:
        for scale in arguments.scales:
            print(f"\n| shaking x{scale:g} | " + " | ".join(f"{s:g} mm/s" for s in _SPEEDS) + " |")
            print("|---" * (1 + len(_SPEEDS)) + "|")
            for name, times in _meetings(arguments.seeds, scale):
                print(f"| {name} | " + " | ".join(map(_cell, times)) + " |", flush=True)


if __name__ == "__main__":
    main()

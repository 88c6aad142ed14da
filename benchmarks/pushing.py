"""How soon the driver notices that an emulated robot pushes a wall, and how often it errs.

``python -m benchmarks.pushing [--seeds N] [--minutes M]`` prints the tables of docs/simulation.md.
The robot gets tread speeds and its states go to the detector: no link, no driver around it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout import robot_shape
from cozmo_driver.emulator.world.layout_file import layout_of, load_layout
from cozmo_driver.robot import PushDetector, RobotState, UnexpectedMovement, state_from_message

_WORLDS = Path(__file__).parent.parent / "config" / "worlds"
_WALL_X = 0.2
_PERIOD = 0.030
_FRONT, _REAR, _HALF_WIDTH = 32.1, 55.9, 27.0
_LOOK_AHEAD = 0.4
_WALL = {
    "name": "wall",
    "floor": [{"rectangle": [-1.0, -1.0, 1.0, 1.0]}],
    "walls": [{"points": [[_WALL_X, -0.8], [_WALL_X, 0.8]], "thickness": 0.01}],
}


class Subject:
    """A robot in a world with its detector, in the robot's own time."""

    def __init__(self, world: World, seed: int) -> None:
        """Switch on; the detector learns from two seconds of rest."""
        self.firmware = Firmware(EmulatorOptions(seed=seed), 0.0, world)
        self.detector = PushDetector()
        self.time = 0.0
        self.touched_at = -math.inf
        """When something last kept the body from where its treads would have brought it."""
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
        for _ in self.run(2.0):
            pass

    def drive(self, left: float, right: float, acceleration: float) -> None:
        """Set tread speeds, mm/s, and their acceleration, mm/s^2, 0 for the robot's own."""
        self.firmware.wheels.drive(left, right, acceleration, acceleration)

    def run(self, seconds: float) -> Iterator[tuple[RobotState, UnexpectedMovement | None]]:
        """Live on; yield every state and what is noticed with it."""
        end = self.time + seconds
        while self.time < end - _PERIOD / 2:
            self.time += _PERIOD
            self.firmware.handle_timer(self.time)
            message = self.firmware.states.measure()
            state = state_from_message(message, self.time, self.time)
            yield state, self.detector.update(state)


@dataclass(frozen=True, slots=True)
class Approach:
    """How a wall is met: mm/s, degrees off its normal, mm away, mm/s^2, and which end first."""

    speed: float
    angle: float
    gap: float
    acceleration: float = 0.0
    is_backwards: bool = False


def latency(approach: Approach, seed: int) -> float:
    """Return the time from the contact to the notice, s; infinite for none within 3 s."""
    subject = Subject(World(layout_of(_WALL, "wall"), seed=seed), seed)
    angle = math.radians(approach.angle)
    nose = _REAR if approach.is_backwards else _FRONT
    reach = nose * math.cos(angle) + _HALF_WIDTH * math.sin(angle) + 0.5
    heading = angle + math.pi if approach.is_backwards else angle
    x = 1000.0 * _WALL_X - 5.0 - reach - approach.gap
    subject.firmware.ground.put_down(Pose2D(x, 0.0, heading))
    for _ in subject.run(1.5):
        pass
    speed = -approach.speed if approach.is_backwards else approach.speed
    subject.drive(speed, speed, approach.acceleration)
    contact = math.inf
    for _, noticed in subject.run(approach.gap / approach.speed + 3.0):
        contact = min(contact, max(subject.touched_at, 0.0) or math.inf)
        if noticed is not None:
            return subject.time - contact
    return math.inf


def alarms(world_name: str, minutes: float, seed: int) -> tuple[int, float]:
    """Drive about freely; return how often that was taken for a push, and the way, m.

    What is noticed within half a second of a touch (a corner grazed in a turn) does not count.
    """
    world = World(load_layout(_WORLDS / f"{world_name}.yaml"), seed=seed)
    world.cubes.clear()
    subject, random = Subject(world, seed), Random(f"{seed} free driving")
    count, end = 0, subject.time + 60.0 * minutes

    def drive(seconds: float) -> int:
        noticed = (n for _, n in subject.run(seconds))
        return sum(n is not None and subject.time - subject.touched_at > 0.5 for n in noticed)

    while subject.time < end:
        left, right, acceleration = _choice(random)
        subject.drive(left, right, acceleration)
        if random.random() < 0.1:
            subject.firmware.joints.head.move_to(random.uniform(-0.4, 0.7), 10.0, 10.0, 0.0)
        rest = random.uniform(0.1, 3.0)
        while rest > 0.0 and _is_free(subject, left, right):
            rest -= _PERIOD
            count += drive(_PERIOD)
        if not _is_free(subject, left, right):
            subject.drive(0.0, 0.0, 0.0)
            count += drive(0.3)
    return count, subject.firmware.body.driven / 1000.0


def _choice(random: Random) -> tuple[float, float, float]:
    """Return tread speeds: straight, a curve, a turn in place or a stop, often at full speed."""
    speed = random.choice((30.0, 60.0, 120.0, 200.0, 220.0, random.uniform(20.0, 220.0)))
    speed *= random.choice((1.0, 1.0, -1.0))
    kind = random.random()
    acceleration = random.choice((0.0, 0.0, 200.0, 600.0, 10_000.0))
    if kind < 0.45:
        return speed, speed, acceleration
    if kind < 0.7:
        return speed, speed * random.uniform(-0.2, 1.0), acceleration
    if kind < 0.9:
        return speed, -speed, acceleration
    return 0.0, 0.0, acceleration


def _is_free(subject: Subject, left: float, right: float) -> bool:
    """Whether nothing comes within reach in the next moment, wherever the robot stops."""
    body, place = subject.firmware.body, subject.firmware.place
    for step in range(5):
        ahead = step / 4 * _LOOK_AHEAD
        turn = (right - left) / 69.0 * ahead
        pose = body.world_pose.then(Pose2D(-20.0)).then(Pose2D(0.0, 0.0, turn / 2))
        pose = pose.then(Pose2D((left + right) / 2 * ahead, 0.0, turn / 2)).then(Pose2D(20.0))
        if place.world.hindrance(robot_shape(pose), place.occupant):
            return False
        if any(
            place.world.layout.floor_at(*_spot(pose, x)) is None
            for x in (-_REAR - 10.0, -20.0, 5.0, _FRONT + 10.0)
        ):
            return False
    return True


def _spot(pose: Pose2D, x: float) -> tuple[float, float]:
    spot = pose.then(Pose2D(x))
    return spot.x, spot.y


_SPEEDS = (25.0, 30.0, 40.0, 60.0, 120.0, 200.0)
_WAYS = {
    "driving": {"gap": 60.0},
    "starting": {"gap": 0.0},
    "starting, 200 mm/s2": {"gap": 0.0, "acceleration": 200.0},
    "backwards": {"gap": 60.0, "is_backwards": True},
}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=20.0)
    arguments = parser.parse_args()
    print("| | angle | " + " | ".join(f"{speed:g} mm/s" for speed in _SPEEDS) + " |")
    print("|---" * (2 + len(_SPEEDS)) + "|")
    for name, way in _WAYS.items():
        for angle in (0.0, 15.0, 30.0, 45.0):
            cells = []
            for speed in _SPEEDS:
                approach = Approach(speed, angle, **way)
                times = [latency(approach, seed) for seed in range(arguments.seeds)]
                soon = [time for time in times if time <= 0.5]
                worst = f" ({max(soon):.2f} s)" if soon else ""
                cells.append(f"{100 * len(soon) / len(times):.0f} %{worst}")
            print(f"| {name} | {angle:g}° | " + " | ".join(cells) + " |", flush=True)
    for world in ("room", "maze"):
        count, way = alarms(world, arguments.minutes, seed=1)
        print(f"{world}: {count} false alarms in {arguments.minutes:g} min, {way:.0f} m")


if __name__ == "__main__":
    main()

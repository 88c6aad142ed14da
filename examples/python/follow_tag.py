"""Follow a printed tag, which is shown to the robot, until Ctrl-C.

cozmo vision print --tag 36h11:5 --size 40 --output tag.pdf
python3 examples/python/follow_tag.py --robot 127.0.0.1 --tag 36h11:5 --size 40
"""

from __future__ import annotations

import math
from argparse import ArgumentParser

from cozmo_driver.perception import Detections, RobotPerception, objects_of
from cozmo_driver.robot import Robot, run_program

FASTEST, TURN = 0.08, 0.6
"""m/s, rad/s; a faster turn blurs the pictures, a slower one in place might not start (spec 14)."""
ROUGH = 0.2
"""rad of a tag aside, beyond which the robot turns; less, and it swings where commands come a third
of a second late."""
GAIN = 1.0
"""1/s; a larger one swings where commands come half a second late."""
NEAR = 0.005
"""m and rad within which the robot rests."""


def speed(gain: float, error: float, most: float) -> float:
    """Return how fast to make an error smaller."""
    return 0.0 if abs(error) < NEAR else max(-most, min(most, gain * error))


def turn(error: float) -> float:
    """Return how fast to turn to a tag that is so far aside."""
    return math.copysign(TURN, error) if abs(error) > ROUGH else speed(GAIN, error, TURN)


async def main(robot: Robot, tag: str, size: float, distance: float) -> None:
    """Keep a printed tag ahead, in a distance."""
    width = size / 1000
    tags = [{"tag": tag, "size": width, "side": "front"}]
    card = objects_of({"objects": {"card": {"size": [0.005, width, width], "tags": tags}}})
    target = None

    def on_detections(seen: Detections) -> None:
        nonlocal target
        for marker in seen.markers:
            pose = seen.pose_of(marker)
            if marker.name == "card" and pose is not None:
                target = pose

    await robot.joints.move_head(0.1)
    async with RobotPerception(robot, objects=card) as perception:
        perception.on_detections.connect(on_detections)
        print(f"show me {tag}", flush=True)
        while True:
            await robot.on_state.next()
            if target is not None:
                # Pictures are late: it counts where the robot has come to since.
                x, y, _ = perception.in_robot(target)[:3, 3]
                ahead = speed(GAIN, math.hypot(x, y) - distance, FASTEST)
                robot.motion.drive(ahead, turn(math.atan2(y, x)))


if __name__ == "__main__":
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("--tag", default="36h11:5", help="default %(default)s")
    parser.add_argument("--size", type=float, default=40.0, help="mm (default %(default)s)")
    parser.add_argument("--distance", type=float, default=0.15, help="m (default %(default)s)")
    run_program(main, parser)

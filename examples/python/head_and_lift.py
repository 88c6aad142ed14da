"""Move head and lift from end to end.

python3 examples/python/head_and_lift.py --robot 127.0.0.1
"""

from __future__ import annotations

from cozmo_driver.robot import (
    MAX_HEAD_ANGLE,
    MAX_LIFT_HEIGHT,
    MIN_HEAD_ANGLE,
    MIN_LIFT_HEIGHT,
    Robot,
    run_program,
)


async def main(robot: Robot) -> None:
    """Move head and lift from end to end."""
    for angle in (MAX_HEAD_ANGLE, MIN_HEAD_ANGLE, 0.0):
        print(f"head at {await robot.joints.move_head(angle):.2f} rad")
    for height in (MAX_LIFT_HEIGHT, MIN_LIFT_HEIGHT):
        print(f"lift at {await robot.joints.move_lift(height) * 1000:.0f} mm")


if __name__ == "__main__":
    run_program(main)

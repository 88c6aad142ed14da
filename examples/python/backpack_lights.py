"""Show colours on the backpack, one after the other, and then a light that runs.

python3 examples/python/backpack_lights.py --robot 127.0.0.1
"""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser

from cozmo_driver.robot import BackpackLights, Color, LightState, Robot, run_program, steady

COLORS = (Color(1, 0, 0), Color(0, 1, 0), Color(0, 0, 1), Color(1, 1, 1), Color())


async def main(robot: Robot, seconds: float) -> None:
    """Show colours on the backpack."""
    for color in COLORS:
        light = steady(color)
        robot.backpack.set(BackpackLights(front=light, middle=light, rear=light))
        await asyncio.sleep(seconds)
    # The robot repeats this by itself: each light a third of a second later than the one before.
    front, middle, rear = (
        LightState(Color(0, 1, 1), on_duration=0.3, off_duration=0.6, offset=place * 0.3)
        for place in range(3)
    )
    robot.backpack.set(BackpackLights(front=front, middle=middle, rear=rear))
    await asyncio.sleep(3 * seconds)


if __name__ == "__main__":
    parser = ArgumentParser(description="Show colours on the backpack.")
    parser.add_argument("--seconds", type=float, default=2.0, help="each (default %(default)s)")
    run_program(main, parser)

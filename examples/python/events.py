"""Tell what happens to the robot and its cubes until Ctrl-C: lift it, tap a cube, press the button.

python3 examples/python/events.py --robot 127.0.0.1
"""

from __future__ import annotations

import asyncio

from cozmo_driver.robot import CubeEvent, Robot, RobotEvent, Status, run_program


def tell(event: RobotEvent | CubeEvent) -> None:
    """Print what happened."""
    text = event.text if isinstance(event, CubeEvent) else event.description
    print(text, flush=True)


def tell_status(status: Status) -> None:
    """Print how the robot is whenever that has changed."""
    posture = status.state.off_treads.name.lower().replace("_", " ")
    print(f"{posture}, {'driving' if status.state.are_wheels_moving else 'standing'}", flush=True)


async def main(robot: Robot) -> None:
    """Tell what happens to the robot and its cubes until Ctrl-C."""
    robot.on_event.connect(tell)
    robot.cubes.on_event.connect(tell)
    robot.on_status.connect(tell_status)
    print("listening", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    run_program(main)

"""Connect to a robot and say who it is and how it does.

python3 examples/python/minimal.py --robot 127.0.0.1
"""

from __future__ import annotations

from cozmo_driver.robot import Robot, run_program


async def main(robot: Robot) -> None:
    """Connect to a robot and say who it is and how it does."""
    identity = robot.identity
    print(f"robot {identity.head_serial:08x}, firmware {identity.firmware_version}")
    if robot.battery is not None:
        print(f"battery {robot.battery.voltage:.2f} V, {robot.battery.charge.value}")


if __name__ == "__main__":
    run_program(main)

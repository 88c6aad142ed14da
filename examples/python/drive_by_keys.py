"""Drive by the keyboard: w a s d drive, r f move the head, t g the lift, q ends.

    python3 examples/python/drive_by_keys.py --robot 127.0.0.1

Hold a key to go on: the robot stops when none has come for a while.
"""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import tty

from cozmo_driver.link import with_timeout
from cozmo_driver.robot import Robot, run_program

HOLD = 0.6
DRIVE = {"w": (0.1, 0.0), "s": (-0.1, 0.0), "a": (0.0, 1.5), "d": (0.0, -1.5)}
HEAD = {"r": 0.8, "f": -0.8}
LIFT = {"t": 0.8, "g": -0.8}


async def main(robot: Robot) -> None:
    """Drive by the keyboard: w a s d drive, r f move the head, t g the lift, q ends."""
    keyboard = sys.stdin.fileno()
    loop = asyncio.get_running_loop()
    keys: asyncio.Queue[str] = asyncio.Queue()
    before = termios.tcgetattr(keyboard)
    tty.setcbreak(keyboard)
    loop.add_reader(keyboard, lambda: keys.put_nowait(os.read(keyboard, 1).decode()))
    print(main.__doc__, flush=True)
    try:
        key = ""
        while key != "q":
            try:
                key = await with_timeout(HOLD, keys.get())
            except TimeoutError:
                key = ""
            robot.motion.drive(*DRIVE.get(key, (0.0, 0.0)))
            robot.joints.set_head_velocity(HEAD.get(key, 0.0))
            robot.joints.set_lift_velocity(LIFT.get(key, 0.0))
    finally:
        loop.remove_reader(keyboard)
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


if __name__ == "__main__":
    run_program(main)

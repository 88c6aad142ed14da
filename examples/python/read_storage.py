"""Read the calibration of the camera from the robot's storage; nothing is written.

python3 examples/python/read_storage.py --robot 127.0.0.1
"""

from __future__ import annotations

import struct

from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.robot import Robot, run_program


async def main(robot: Robot) -> None:
    """Read the calibration of the camera from the robot's storage."""
    record = await robot.storage.read(NVEntryTag.CAMERA_CALIB)
    if record is None:
        print("this robot has no calibration")
        return
    fx, fy, cx, cy = struct.unpack_from("<4f", record)
    print(f"{len(record)} bytes: focal lengths {fx:.1f} {fy:.1f}, centre {cx:.1f} {cy:.1f} pixels")
    # The driver reads it by itself:
    print(robot.camera.calibration)


if __name__ == "__main__":
    run_program(main)

"""What the robot does with what stands around it: coroutines on a ``Body``, above ``robot/``.

m, rad, s; poses are those of the drive center in the odometry frame.
"""

from __future__ import annotations

from .driving import go_to
from .robot_body import RobotBody

"""Charger, cubes, and driving around obstacles: coroutines on a ``Manipulator``, above ``robot/``.

m, rad, s; poses are those of the drive center in the odometry frame.
"""

from __future__ import annotations

from .charger_docking import dock_charger
from .charger_memory import ChargerMemory
from .cube_pick_up import pick_up_cube
from .cube_placing import place_at, place_beside, place_here, place_on
from .cube_pyramid import build_pyramid
from .cube_rolling import roll_cube
from .cube_stacking import stack_cubes
from .cube_tricks import align, knock_over, pop_a_wheelie
from .manipulator import Manipulator
from .object_approach import go_to_object, located, poses_before
from .object_search import find_object, follow_object
from .obstacle_avoidance import go_to
from .pose_approach import DriveStyle, go_to_pose
from .robot_manipulator import RobotManipulator

"""A robot with a personality: what it feels, what it does next and how (spec 12). No ROS."""

from __future__ import annotations

from .config import ActivityConfig
from .constraints import Permissions
from .engine import Engine
from .games import GAMES
from .mood_config import Emotion
from .reaction_map import load_reaction_map
from .robot_body import RobotBody
from .robot_sight import seen_faces
from .sight import Sense
from .system import FREEPLAY, load_files
from .trace import older_path, trace_path

"""From images to knowledge: what a robot's images show, and where that is."""

from __future__ import annotations

from .detection.camera import CalibrationError, Camera, camera_of
from .detection.learner import CubeLearner, up_side
from .detection.learning import LearningError, learn
from .detection.markers import ImageError, Marker, MarkerDetector, as_gray
from .detection.objects import ObjectsError, TaggedObject, objects_of
from .detection.overlay import draw_markers
from .detection.poses import MarkerPose, marker_poses, resolve_ambiguity
from .detection.tags import TagError, draw_tag, parse_tag
from .detection.template_file import (
    CUBES,
    TEMPLATES_FILE,
    TemplateFileError,
    cube_of,
    load_templates,
    save_templates,
)
from .detection.templates import Template
from .perception import CameraFrame, Perception
from .robot_perception import Detections, RobotPerception
from .world.frames import AS_DRAWN, Mount, camera_pose, carried_place, quaternion_of, yaw_of
from .world.mount_file import load_mount
from .world.objects import CUBE_EDGE, SIDES, Kind, LocatedObject, PoseState, side_pose
from .world.world_model import WorldModel

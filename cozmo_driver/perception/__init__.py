"""From images to knowledge: what a robot's images show, and where that is."""

from __future__ import annotations

from .detection.camera import CalibrationError, Camera, camera_of
from .detection.drawing_file import (
    CUBES,
    DRAWINGS_FILE,
    DrawingFileError,
    cube_of,
    load_drawings,
    save_drawings,
)
from .detection.drawings import Drawing
from .detection.learner import CubeLearner, up_side
from .detection.learning import LearningError, learn
from .detection.markers import Marker, MarkerDetector, PictureError, as_gray
from .detection.objects import ObjectsError, TaggedObject, objects_of
from .detection.overlay import draw_markers
from .detection.poses import MarkerPose, marker_poses, upright
from .detection.tags import TagError, draw_tag, parse_tag
from .perception import CameraFrame, Perception
from .robot_perception import Detections, RobotPerception
from .world.frames import AS_DRAWN, Mount, camera_pose, carried_place, yaw_of
from .world.mount_file import load_mount
from .world.objects import CUBE_EDGE, SIDES, Kind, LocatedObject, PoseState, side_pose
from .world.world_model import WorldModel

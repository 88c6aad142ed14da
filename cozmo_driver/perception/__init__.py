"""From images to knowledge: what a robot's images show, and where that is."""

from __future__ import annotations

from .detection.camera import CalibrationError, Camera, camera_of
from .detection.face_album import FACES_FILE, FaceAlbum, FaceAlbumError
from .detection.face_models import SFACE_FILES, YUNET_FILES, ModelFile, SFace, YuNet
from .detection.face_tracker import Enrollment, Face, FaceTracker
from .detection.faces import CascadeDetector, FaceModelError
from .detection.ground import SCAN_ANGLE, SCAN_STEP
from .detection.learning import CubeLearner, LearningError, learn, up_side
from .detection.markers import ImageError, Marker, MarkerDetector, as_gray
from .detection.motion import Motion, MotionDetector
from .detection.objects import ObjectsError, TaggedObject, objects_of
from .detection.overlay import draw_markers
from .detection.poses import MarkerPose, marker_poses, poses_of_markers, resolve_ambiguity
from .detection.tags import FAMILIES, TagError, draw_tag, parse_tag
from .detection.template_file import (
    CUBES,
    TEMPLATES_FILE,
    TemplateFileError,
    cube_of,
    learning_advice,
    load_templates,
    save_templates,
)
from .detection.templates import Template
from .kept_mount import check_mount, forget_mount, load_mount, save_mount
from .kept_prints import load_prints, save_prints
from .perception import CUBE_NAMES, CameraFrame, Perception, observations_of
from .robot_perception import Detections, RobotPerception
from .world.frames import (
    AS_DRAWN,
    Matrix,
    Mount,
    camera_pose,
    carried_place,
    inverse,
    pose,
    quaternion_of,
    rotation,
    side_pose,
    yaw_of,
)
from .world.mounting import MOUNT_SESSION, LearntMount
from .world.mounting import PRIOR as MOUNT_PRIOR
from .world.objects import (
    CHARGER_MARKER,
    CHARGER_SIZE,
    CUBE_EDGE,
    DOCKED,
    SIDES,
    Kind,
    LocatedObject,
    PoseState,
    Print,
    PrintedCube,
    charger_model,
    cube_model,
)
from .world.pose_history import HISTORY, Drop, PoseHistory, StampedState, StateTracker
from .world.world_model import WorldModel

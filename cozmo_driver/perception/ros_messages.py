"""Messages of what perception finds: markers, objects and their places."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, Transform, TransformStamped, Vector3
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import Header
from vision_msgs.msg import Detection3D, ObjectHypothesisWithPose

from cozmo_interfaces.msg import Face as FaceMessage
from cozmo_interfaces.msg import FaceEvent, ObjectEvent
from cozmo_interfaces.msg import ImageQuality as QualityMessage
from cozmo_interfaces.msg import Marker as MarkerMessage
from cozmo_interfaces.msg import Motion as MotionMessage
from cozmo_interfaces.msg import ObjectState as StateMessage

from ..ros.geometry import constants, filled, header, quaternion
from .detection.camera import CalibrationError, Camera
from .detection.face_tracker import Face
from .detection.markers import Marker
from .detection.motion import Motion
from .detection.poses import marker_poses
from .detection.quality import ImageQuality
from .sight_events import SightEvent
from .world.frames import quaternion_of
from .world.objects import Kind, LocatedObject, PoseState

_Matrix = npt.NDArray[np.float64]

_KINDS = constants(Kind, StateMessage)
_STATES = constants(PoseState, StateMessage)


def camera_of_info(info: CameraInfo) -> Camera:
    """Return the camera of a calibration, for its full size. Raises ``CalibrationError``."""
    if info.distortion_model not in ("plumb_bob", ""):
        raise CalibrationError(
            f"the distortion model {info.distortion_model[:40]!r} is unknown: use plumb_bob"
        )
    fx, _, cx, _, fy, cy, *_ = map(float, info.k)
    coefficients = tuple(map(float, info.d)) or (0.0,) * 5
    return Camera(fx, fy, cx, cy, coefficients, int(info.width), int(info.height))


def pose_of_matrix(matrix: _Matrix) -> Pose:
    x, y, z = (float(value) for value in matrix[:3, 3])
    return Pose(position=Point(x=x, y=y, z=z), orientation=_quaternion(matrix))


def _quaternion(matrix: _Matrix) -> Quaternion:
    x, y, z, w = quaternion_of(matrix)
    return Quaternion(x=x, y=y, z=z, w=w)


def transform_of_matrix(
    matrix: _Matrix, stamp: Time, frame: str, child_frame: str
) -> TransformStamped:
    x, y, z = (float(value) for value in matrix[:3, 3])
    turned = Transform(translation=Vector3(x=x, y=y, z=z), rotation=_quaternion(matrix))
    return TransformStamped(
        header=header(stamp, frame), child_frame_id=child_frame, transform=turned
    )


def marker_message(marker: Marker, camera: Camera) -> MarkerMessage:
    """Return a marker, with the pose that fits better of the two that it may have."""
    poses = marker_poses(marker.own_corners, marker.size, camera) if marker.size else []
    message = MarkerMessage(
        family=marker.family,
        name=marker.name or "",
        side=marker.side,
        code=-1 if marker.code is None else int(marker.code),
        corners=marker.corners.astype(np.float32).ravel(),
        score=float(marker.score),
        distance=poses[0].distance if poses else math.nan,
    )
    if poses:
        message.pose = pose_of_matrix(poses[0].matrix)
    return message


def detection_message(seen: LocatedObject, head: Header, score: float) -> Detection3D:
    """Return an object that was seen; it must have a pose."""
    assert seen.pose is not None
    result = ObjectHypothesisWithPose()
    result.hypothesis.class_id, result.hypothesis.score = seen.name, score
    result.pose.pose = pose_of_matrix(seen.pose)
    message = Detection3D(header=head, results=[result], id=seen.name)
    message.bbox.center = pose_of_matrix(seen.middle(seen.pose))
    message.bbox.size = vector_of(seen.size)
    return message


def object_state_message(known: LocatedObject, last_seen: Time) -> StateMessage:
    message = filled(
        StateMessage,
        known,
        kind=_KINDS[known.kind],
        state=_STATES[known.state],
        size=vector_of(known.size),
        cube_slot=StateMessage.NO_SLOT if known.slot is None else int(known.slot),
        last_seen=last_seen,
        on_top_of=known.on_top_of or "",
    )
    if known.pose is not None:
        message.pose = pose_of_matrix(known.pose)
    return message


def vector_of(values: Iterable[float]) -> Vector3:
    x, y, z = map(float, values)
    return Vector3(x=x, y=y, z=z)


def face_message(face: Face) -> FaceMessage:
    x, y, width, height = face.box
    px, py, pz = face.position
    place = Point(x=px, y=py, z=pz)
    return filled(FaceMessage, face, x=x, y=y, width=width, height=height, position=place)


def face_event_message(kind: int, face: Face, head: Header) -> FaceEvent:
    x, y, z = face.position
    return FaceEvent(
        header=head, type=kind, id=face.id, name=face.name, position=Point(x=x, y=y, z=z)
    )


def object_event_message(event: SightEvent, kind: Kind | None, head: Header) -> ObjectEvent:
    x, y, z = map(float, event.sight.place)
    place = Pose(position=Point(x=x, y=y, z=z), orientation=quaternion(event.sight.yaw))
    number = 0 if kind is None else _KINDS[kind]
    return ObjectEvent(
        header=head, type=int(event.type), name=event.sight.key, kind=number, pose=place
    )


def motion_message(motion: Motion, head: Header) -> MotionMessage:
    x, y = motion.ground_point or (math.nan, math.nan)
    return filled(
        MotionMessage,
        motion,
        header=head,
        image_area=motion.area,
        image_x=motion.x,
        image_y=motion.y,
        ground_point=Point(x=x, y=y, z=0.0 if motion.ground_point else math.nan),
    )


def quality_message(quality: ImageQuality, head: Header) -> QualityMessage:
    p10, p50, p90 = quality.percentiles
    shares = {"percentile_10": p10, "percentile_50": p50, "percentile_90": p90}
    return filled(QualityMessage, quality, header=head, **shares)

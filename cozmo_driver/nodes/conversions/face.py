"""Parameters of the face."""

from __future__ import annotations

from cozmo_interfaces.msg import EyeParameters, FaceParameters

from ...face.parameters import EYE_PARAMETERS, Eye, Face

_EYE_FIELDS = tuple(
    name if name.startswith(("upper", "lower")) else f"eye_{name}" for name in EYE_PARAMETERS
)


def face_of_message(message: FaceParameters) -> Face:
    """Return the face as it was sent: nothing is checked."""
    return Face(
        angle=float(message.face_angle),
        center_x=float(message.face_center_x),
        center_y=float(message.face_center_y),
        scale_x=float(message.face_scale_x),
        scale_y=float(message.face_scale_y),
        left_eye=_eye(message.left_eye),
        right_eye=_eye(message.right_eye),
    )


def face_message(face: Face) -> FaceParameters:
    """Return the 43 values of a face."""
    return FaceParameters(
        face_angle=float(face.angle),
        face_center_x=float(face.center_x),
        face_center_y=float(face.center_y),
        face_scale_x=float(face.scale_x),
        face_scale_y=float(face.scale_y),
        left_eye=_eye_message(face.left_eye),
        right_eye=_eye_message(face.right_eye),
    )


def _eye(message: EyeParameters) -> Eye:
    return Eye(*(float(getattr(message, name)) for name in _EYE_FIELDS))


def _eye_message(eye: Eye) -> EyeParameters:
    values = zip(_EYE_FIELDS, eye.values, strict=True)
    return EyeParameters(**{name: float(value) for name, value in values})

"""Faces to messages and back."""

from __future__ import annotations

from cozmo_interfaces.msg import EyeParameters, FaceParameters

from .parameters import EYE_PARAMETERS, Eye, Face

_WHOLE = ("angle", "center_x", "center_y", "scale_x", "scale_y")
"""Of the face, beside its eyes."""
_EYE_FIELDS = tuple(
    name if name.startswith(("upper", "lower")) else f"eye_{name}" for name in EYE_PARAMETERS
)


def face_of_message(message: FaceParameters) -> Face:
    """Return the face as it was sent: nothing is checked."""
    return Face(
        **{name: float(getattr(message, f"face_{name}")) for name in _WHOLE},
        left_eye=_eye(message.left_eye),
        right_eye=_eye(message.right_eye),
    )


def face_message(face: Face) -> FaceParameters:
    return FaceParameters(
        **{f"face_{name}": float(getattr(face, name)) for name in _WHOLE},
        left_eye=_eye_message(face.left_eye),
        right_eye=_eye_message(face.right_eye),
    )


def _eye(message: EyeParameters) -> Eye:
    return Eye(*(float(getattr(message, name)) for name in _EYE_FIELDS))


def _eye_message(eye: Eye) -> EyeParameters:
    values = zip(_EYE_FIELDS, eye.values, strict=True)
    return EyeParameters(**{name: float(value) for name, value in values})

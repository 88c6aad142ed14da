"""Every parameter of the driver node; ``config/cozmo.yaml`` explains them to users."""

from __future__ import annotations

from ..parameter_set import ParameterSpec
from .camera import CAMERA
from .expression import ANIMATION, SOUND
from .link import FRAMES, LINK
from .motion import MOTION, ODOMETRY
from .storage import STORAGE

PARAMETERS: tuple[ParameterSpec, ...] = (
    *LINK,
    *FRAMES,
    *MOTION,
    *ODOMETRY,
    *CAMERA,
    *SOUND,
    *ANIMATION,
    *STORAGE,
)

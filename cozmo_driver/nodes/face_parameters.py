"""Every parameter of the face node; ``config/face.yaml`` explains them to users."""

from __future__ import annotations

from .parameter_set import ParameterSpec as P
from .parameters.link import FRAMES

_FRAME_PREFIX = next(spec for spec in FRAMES if spec.name == "frame_prefix")

FACE_PARAMETERS: tuple[P, ...] = (
    P("rate", 30.0, "most pictures in a second", "Hz", low=1.0, high=30.0, fixed=True),
    P("blinks", True, "the eyes blink; without, only every 29 s, to spare the screen"),
    P("saccades", True, "the eyes dart about"),
    P("glances", True, "the eyes lead into the turns that odom tells of"),
    P("idle_rate", 1.0, "how often the eyes dart and blink, as a factor", low=0.1, high=5.0),
    P(
        "seed",
        0,
        "the same seed, the same idle life; 0: another one each time",
        low=0,
        high=2**31 - 1,
        fixed=True,
    ),
    _FRAME_PREFIX,
)

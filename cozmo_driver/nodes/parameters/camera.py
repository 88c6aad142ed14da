"""The camera."""

from __future__ import annotations

from ..camera_calibration import CalibrationError, load
from ..parameter_set import ParameterSpec as P


def _is_calibration(value: str) -> str:
    try:
        if value:
            load(value)
    except CalibrationError as error:
        return str(error)
    return ""


CAMERA = (
    P("camera_enabled", True, "stream pictures from the start; see the service enable_camera"),
    P("camera_color", False, "colour pictures, of half the width"),
    P("camera_auto_exposure", True, "exposure time and gain follow the pictures"),
    P(
        "camera_exposure",
        16,
        "exposure time; where automatic exposure begins",
        "ms",
        low=1,
        high=66,
    ),
    P(
        "camera_gain",
        2.0,
        "amplification of the sensor; where automatic exposure begins",
        low=0.1,
        high=4.0,
    ),
    P(
        "camera_info_url",
        "",
        "calibration file (path, file:// or package:// URL); empty: one saved, or the robot's own",
        fixed=True,
        check=_is_calibration,
        rule="a calibration for 320 x 240 pixels",
    ),
)

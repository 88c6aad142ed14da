"""Camera calibrations in the file format of the ROS camera tools."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from sensor_msgs.msg import CameraInfo

from ..media import IMAGE_HEIGHT, IMAGE_WIDTH
from ..plain_yaml import YamlError, load_yaml
from ..resources import ResourceError, read_bytes
from ..whole_files import write_whole
from .errors import StartError
from .file_urls import FileUrlError, path_of

_MODE = 0o644
_LARGEST_FILE = 64 << 10


class CalibrationError(StartError):
    """A calibration file that cannot be used; the text says which and why."""


def saved_path(head_serial: int) -> Path:
    """Return where the ROS camera tools keep the calibration of one robot."""
    home = os.environ.get("ROS_HOME") or "~/.ros"
    return Path(home).expanduser() / "camera_info" / f"cozmo_{head_serial:08x}.yaml"


def check_size(width: int, height: int) -> None:
    """Raise ``ValueError`` unless a calibration is for gray pictures, which have full width."""
    if (width, height) != (IMAGE_WIDTH, IMAGE_HEIGHT):
        raise ValueError(
            f"it is for {width} x {height} pixels, not {IMAGE_WIDTH} x {IMAGE_HEIGHT}: "
            "calibrate with gray pictures"
        )


def load(url: str) -> CameraInfo:
    """Return the calibration in a file, by path or URL. Raises ``CalibrationError``."""
    try:
        path = path_of(url)
        content = load_yaml(read_bytes(path, _LARGEST_FILE))
    except FileUrlError as error:
        raise CalibrationError(str(error)) from error
    except ResourceError as error:
        raise CalibrationError(f"cannot read the camera calibration {error}") from error
    except YamlError as error:
        raise CalibrationError(f"the camera calibration {path} is not YAML: {error}") from error
    try:
        return _from_mapping(content)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise CalibrationError(f"the camera calibration {path}: {what}") from error


def save(path: Path, info: CameraInfo) -> None:
    """Write a calibration file in one step: it is whole or not there. Raises ``OSError``."""

    def matrix(rows: int, values: Sequence[float]) -> dict[str, Any]:
        return {"rows": rows, "cols": len(values) // rows, "data": list(map(float, values))}

    content = {
        "image_width": info.width,
        "image_height": info.height,
        "camera_name": path.resolve().stem,
        "camera_matrix": matrix(3, info.k),
        "distortion_model": info.distortion_model,
        "distortion_coefficients": matrix(1, info.d),
        "rectification_matrix": matrix(3, info.r),
        "projection_matrix": matrix(3, info.p),
    }
    write_whole(path, yaml.safe_dump(content, sort_keys=False), _MODE)


def _from_mapping(content: Mapping[str, Any]) -> CameraInfo:
    if not isinstance(content, Mapping):
        raise ValueError("it holds no keys")
    width, height = int(content["image_width"]), int(content["image_height"])
    check_size(width, height)
    return CameraInfo(
        width=width,
        height=height,
        distortion_model=str(content["distortion_model"]),
        d=_matrix(content, "distortion_coefficients", None),
        k=_matrix(content, "camera_matrix", 9),
        r=_matrix(content, "rectification_matrix", 9),
        p=_matrix(content, "projection_matrix", 12),
        binning_x=1,
        binning_y=1,
    )


def _matrix(content: Mapping[str, Any], key: str, size: int | None) -> list[float]:
    values = [float(value) for value in content[key]["data"]]
    if not all(map(math.isfinite, values)):
        raise ValueError(f"{key} has a number that is not finite")
    if size is not None and len(values) != size:
        raise ValueError(f"{key} needs {size} numbers, not {len(values)}")
    return values

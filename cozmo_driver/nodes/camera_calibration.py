"""Camera calibrations in the file format of the ROS camera tools."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..media.mini_jpeg import HEIGHT, WIDTH
from ..plain_yaml import YamlError, load_yaml
from ..resources.errors import ResourceError
from ..resources.file_bytes import read_bytes
from ..whole_files import write_whole
from . import file_urls
from .errors import StartError

_MODE = 0o644
_LARGEST_FILE = 64 << 10


class CalibrationError(StartError):
    """A calibration file that cannot be used; the text says which and why."""


@dataclass(frozen=True, slots=True)
class CameraCalibration:
    """Intrinsic calibration: matrices in row-major order, pixels."""

    width: int
    height: int
    distortion_model: str
    distortion: tuple[float, ...]
    camera_matrix: tuple[float, ...]
    rectification_matrix: tuple[float, ...]
    projection_matrix: tuple[float, ...]


def path_of(url: str) -> Path:
    """Return the file of a path, ``file://`` or ``package://`` URL. Raises ``CalibrationError``."""
    try:
        return file_urls.path_of(url)
    except file_urls.FileUrlError as error:
        raise CalibrationError(str(error)) from error


def saved_path(head_serial: int) -> Path:
    """Return where the ROS camera tools keep the calibration of one robot."""
    home = os.environ.get("ROS_HOME") or "~/.ros"
    return Path(home).expanduser() / "camera_info" / f"cozmo_{head_serial:08x}.yaml"


def check_size(width: int, height: int) -> None:
    """Raise ``ValueError`` unless a calibration is for gray pictures, which have full width."""
    if (width, height) != (WIDTH, HEIGHT):
        raise ValueError(
            f"it is for {width} x {height} pixels, not {WIDTH} x {HEIGHT}: calibrate with gray "
            "pictures"
        )


def load(url: str) -> CameraCalibration:
    """Return the calibration in a file. Raises ``CalibrationError``."""
    path = path_of(url)
    try:
        content = load_yaml(read_bytes(path, _LARGEST_FILE))
    except ResourceError as error:
        raise CalibrationError(f"cannot read the camera calibration {error}") from error
    except YamlError as error:
        raise CalibrationError(f"the camera calibration {path} is not YAML: {error}") from error
    try:
        return _from_mapping(content)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise CalibrationError(f"the camera calibration {path}: {what}") from error


def save(path: Path, calibration: CameraCalibration) -> None:
    """Write a calibration file in one step: it is whole or not there. Raises ``OSError``."""
    name = path.resolve().stem
    text = yaml.safe_dump(_to_mapping(calibration, name), sort_keys=False)
    write_whole(path, text, _MODE)


def _to_mapping(calibration: CameraCalibration, name: str) -> dict[str, Any]:
    def matrix(rows: int, values: tuple[float, ...]) -> dict[str, Any]:
        return {"rows": rows, "cols": len(values) // rows, "data": list(values)}

    return {
        "image_width": calibration.width,
        "image_height": calibration.height,
        "camera_name": name,
        "camera_matrix": matrix(3, calibration.camera_matrix),
        "distortion_model": calibration.distortion_model,
        "distortion_coefficients": matrix(1, calibration.distortion),
        "rectification_matrix": matrix(3, calibration.rectification_matrix),
        "projection_matrix": matrix(3, calibration.projection_matrix),
    }


def _from_mapping(content: Mapping[str, Any]) -> CameraCalibration:
    if not isinstance(content, Mapping):
        raise ValueError("it holds no keys")
    width, height = int(content["image_width"]), int(content["image_height"])
    check_size(width, height)
    return CameraCalibration(
        width=width,
        height=height,
        distortion_model=str(content["distortion_model"]),
        distortion=_matrix(content, "distortion_coefficients", None),
        camera_matrix=_matrix(content, "camera_matrix", 9),
        rectification_matrix=_matrix(content, "rectification_matrix", 9),
        projection_matrix=_matrix(content, "projection_matrix", 12),
    )


def _matrix(content: Mapping[str, Any], key: str, size: int | None) -> tuple[float, ...]:
    values = tuple(float(value) for value in content[key]["data"])
    if not all(map(math.isfinite, values)):
        raise ValueError(f"{key} has a number that is not finite")
    if size is not None and len(values) != size:
        raise ValueError(f"{key} needs {size} numbers, not {len(values)}")
    return values

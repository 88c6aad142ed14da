"""Camera calibrations in the file format of the ROS camera tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from .errors import StartError


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
    parts = urlsplit(url)
    if parts.scheme == "package":
        try:
            return Path(get_package_share_directory(parts.netloc)) / unquote(parts.path).lstrip("/")
        except PackageNotFoundError as error:
            raise CalibrationError(f"{url}: there is no package '{parts.netloc}'") from error
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if parts.scheme:
        raise CalibrationError(f"{url}: only file:// and package:// URLs or a path can be read")
    return Path(url).expanduser()


def load(url: str) -> CameraCalibration:
    """Return the calibration in a file. Raises ``CalibrationError``."""
    path = path_of(url)
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror
        raise CalibrationError(f"cannot read the camera calibration {path}: {reason}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CalibrationError(f"the camera calibration {path} is not YAML: {error}") from error
    try:
        return _from_mapping(content)
    except (KeyError, TypeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise CalibrationError(f"the camera calibration {path}: {what}") from error


def _from_mapping(content: Mapping[str, Any]) -> CameraCalibration:
    if not isinstance(content, Mapping):
        raise ValueError("it holds no keys")
    width, height = int(content["image_width"]), int(content["image_height"])
    if (width, height) != (320, 240):
        raise ValueError(f"it is for {width} x {height} pixels, the pictures have 320 x 240")
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
    if size is not None and len(values) != size:
        raise ValueError(f"{key} needs {size} numbers, not {len(values)}")
    return values

"""Files as users name them: by path, ``file://`` or ``package://`` URL."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from ..robot import Reason, RobotError
from .errors import StartError

DESCRIPTION = "cozmo_description"


class FileUrlError(ValueError):
    """A URL that names no file; the text says why."""


class PackageMissing(FileUrlError):
    """There is no such ROS package."""


def path_of(url: str) -> Path:
    """Return the file that ``url`` names, there or not. Raises ``FileUrlError``."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise FileUrlError(f"{url}: {error}") from error
    if parts.scheme == "package":
        try:
            return Path(get_package_share_directory(parts.netloc)) / unquote(parts.path).lstrip("/")
        except (PackageNotFoundError, ValueError) as error:
            raise PackageMissing(f"{url}: there is no package '{parts.netloc}'") from error
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if parts.scheme:
        raise FileUrlError(f"{url}: only file:// and package:// URLs or a path can be read")
    try:
        return Path(url).expanduser()
    except (RuntimeError, ValueError) as error:
        raise FileUrlError(f"{url!r}: {error}") from error


def file_of(url: str) -> Path:
    """Return the absolute file of a goal, there or not.

    Raises ``FileUrlError``, and ``RobotError`` (NOT_FOUND) where there is no such package.
    """
    try:
        return path_of(url).absolute()
    except PackageMissing as error:
        raise RobotError(Reason.NOT_FOUND, str(error)) from error


def shared_file(package: str, path: str) -> str:
    """Return a file of an installed package, there or not. Raises ``StartError``."""
    try:
        return str(Path(get_package_share_directory(package), path))
    except PackageNotFoundError as error:
        raise StartError(not_installed(package)) from error


def not_installed(package: str) -> str:
    return f"the package {package} is not installed or its workspace not sourced"

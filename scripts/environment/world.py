"""Where ROS 2 comes from: one that is sourced, or the wheels."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

from environment.steps import SetupError

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
BUILD = ROOT / "build"
INSTALL = ROOT / "install"
LOG = ROOT / "log"
REQUIREMENTS = ROOT / "scripts" / "requirements"

SUPPORTED = ("jazzy", "kilted", "lyrical", "rolling")
# Beside the driver on the branch that scripts/release_branch writes.
BESIDE = ROOT if (ROOT / "cozmo_interfaces").is_dir() else ROOT.parent
OWN_PACKAGES = {
    "cozmo_driver": ROOT,
    "cozmo_interfaces": BESIDE / "cozmo_interfaces",
    "cozmo_description": BESIDE / "cozmo_description",
}
# Variables that are lists of paths and that a ROS 2 or a virtual environment adds to.
PATH_LISTS = (
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "COLCON_PREFIX_PATH",
    "LD_LIBRARY_PATH",
    "PATH",
    "PKG_CONFIG_PATH",
    "PYTHONPATH",
)


@dataclass(frozen=True)
class World:
    """A distribution, and the prefix its rclpy is in; for the wheels that is the virtual one."""

    distribution: str
    prefix: str

    @property
    def is_sourced(self) -> bool:
        """Whether the machine's own ROS 2 is used."""
        return self.prefix != str(VENV)

    def as_stamp(self) -> dict[str, str]:
        """What must stay the same for an environment to be used again."""
        return asdict(self)


def current_world() -> World:
    """The world of this process's environment."""
    distribution = os.environ.get("ROS_DISTRO", "")
    prefix = prefix_of("rclpy")
    if distribution in SUPPORTED and prefix:
        return World(distribution, prefix)
    return World(wheel_distribution(), str(VENV))


def wheel_distribution() -> str:
    """The distribution of the wheels, Jazzy unless ROS_WHEELS says another."""
    name = os.environ.get("ROS_WHEELS") or "jazzy"
    if not (REQUIREMENTS / f"ros-{name}.txt").is_file():
        known = sorted(path.stem[len("ros-") :] for path in REQUIREMENTS.glob("ros-*.txt"))
        raise SetupError(f"ROS_WHEELS={name}: there are wheels for {' and '.join(known)} only")
    return name


def prefix_of(package: str) -> str:
    """Prefix that a package of the sourced ROS 2 is in, "" for none; own builds do not count."""
    entry = Path("share", "ament_index", "resource_index", "packages", package)
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        own = INSTALL in Path(prefix).parents or Path(prefix) == VENV
        if prefix and not own and (prefix / entry).is_file():
            return prefix
    return ""


def package_folders(world: World) -> dict[str, Path]:
    """Folder of every package to build."""
    folders = dict(OWN_PACKAGES)
    if not world.is_sourced:
        for description in sorted(ROOT.glob("underlay/*/package.xml")):
            folders[description.parent.name] = description.parent
    return {name: path for name, path in folders.items() if (path / "package.xml").is_file()}


def clean_environment() -> dict[str, str]:
    """This process's environment without what another ROS 2 or virtual environment has put in."""
    dropped = {*PATH_LISTS, "PYTHONHOME", "VIRTUAL_ENV", "_ROS_WHEELS_BOOTSTRAP_COMPLETE"}
    return {key: value for key, value in os.environ.items() if key not in dropped - {"PATH"}}

"""Install cozmo_driver: as an ament_python package, or as a wheel of the part that needs no ROS.

A wheel has neither nodes nor launch files; its data is inside of the package, where everything else
finds it below share/.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

NAME = "cozmo_driver"
HERE = Path(__file__).resolve().parent
IS_WHEEL = not {"bdist_wheel", "dist_info", "editable_wheel"}.isdisjoint(sys.argv)
IN_WHEEL = f"{NAME}.share"
ROS_ROOMS = tuple(f"{NAME}.{room}." for room in ("ros", "driver", "bringup", "cockpit"))
WITH_ROS = (
    "driver_node",
    "face_node",
    "behavior_node",
    "vision_node",
    "manipulation_node",
    "cockpit_node",
    "bringup",
    "drive",
    "nav2_guard",
)


def installed_tree(folder: str) -> list[tuple[str, list[str]]]:
    """(Target folder below the prefix, files) for every file below `folder`; the layout is kept."""
    files_of: dict[str, list[str]] = {}
    for path in sorted((HERE / folder).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            relative = path.relative_to(HERE)
            files_of.setdefault(f"share/{NAME}/{relative.parent.as_posix()}", []).append(
                relative.as_posix()
            )
    return list(files_of.items())


def data_of(package: str) -> list[str]:
    """Files beside the package's modules, or in static/, that are no Python source."""
    folder = HERE.joinpath(*package.split("."))
    places = [folder, *(path for path in folder.glob("*/") if path.name == "static")]
    return sorted(
        path.relative_to(folder).as_posix()
        for place in places
        for path in place.iterdir()
        if path.is_file() and not path.name.endswith((".py", ".pyc"))
    )


def files_below(folder: str) -> list[str]:
    """Files below `folder`, relative to it."""
    root = HERE / folder
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


class BuildWithoutRos(build_py):
    """Leaves out the ROS sides of rooms that a wheel has: node.py and ros*.py."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [one for one in found if one[1] != "node" and not one[1].startswith("ros")]


def warn_of_missing_packages() -> None:
    """Say so where a workspace builds this package alone: colcon finds none inside of another."""
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    missing = [
        name
        for name in ("cozmo_interfaces", "cozmo_description")
        if not any(Path(prefix, "share", name, "package.xml").is_file() for prefix in prefixes)
    ]
    if missing:
        print(
            f"{NAME} does not run without {' and '.join(missing)}, which colcon does not find by "
            "itself inside of its folder: see README.md, ROS workspace",
            file=sys.stderr,
        )


packages = find_packages(include=[NAME, f"{NAME}.*"])
package_dir = {}
package_data = {package: data_of(package) for package in packages}
data_files = [
    ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
    (f"share/{NAME}", ["package.xml"]),
    *installed_tree("launch"),
    *installed_tree("config"),
    *installed_tree("assets"),
]
programs = [f"cozmo = {NAME}.cli.main:main"]
if IS_WHEEL:
    data_files = []
    packages = [name for name in packages if not f"{name}.".startswith(ROS_ROOMS)]
    for folder in ("assets", "config"):
        packages.append(f"{IN_WHEEL}.{folder}")
        package_dir[packages[-1]] = folder
        package_data[packages[-1]] = files_below(folder)
else:
    if not {"build", "develop"}.isdisjoint(sys.argv):
        warn_of_missing_packages()
    programs += [f"{name} = {NAME}.programs:{name}" for name in WITH_ROS]
    # For `ros2 run`; a wheel would put so general a name on everybody's path.
    programs.append(f"checkup = {NAME}.cli.main:checkup")

setup(
    name=NAME,
    version="0.1.0",
    packages=packages,
    package_dir=package_dir,
    package_data=package_data,
    data_files=data_files,
    python_requires=">=3.10",
    install_requires=[
        "argcomplete",
        "dpkt",
        "flatbuffers",
        "numpy",
        "opencv-python-headless",
        "Pillow",
        "PyYAML",
        "tqdm",
    ],
    extras_require={
        "mcap": ["mcap"],
        "midi": ["mido>=1.3"],
        "mcp": ["mcp>=2.3,<3", "pydantic", "uvicorn"],
        "plot": ["matplotlib"],
        "sound": ["soundfile", "soxr>=1.1"],
        # colcon runs pytest for a package that names it here.
        "test": ["hypothesis", "psutil", "pytest"],
    },
    cmdclass={"build_py": BuildWithoutRos} if IS_WHEEL else {},
    zip_safe=False,
    maintainer="the cozmo_driver authors",
    maintainer_email="cozmo-driver@example.invalid",
    description="ROS 2 driver for the robot Cozmo",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    entry_points={"console_scripts": programs},
)

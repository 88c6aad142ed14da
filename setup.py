"""Install cozmo_driver: as an ament_python package, or as a wheel of the part that needs no ROS.

A wheel has neither nodes nor launch files; its data is inside of the package, where everything else
finds it below share/.
"""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import find_packages, setup

NAME = "cozmo_driver"
HERE = Path(__file__).resolve().parent
IS_WHEEL = not {"bdist_wheel", "dist_info", "editable_wheel"}.isdisjoint(sys.argv)
IN_WHEEL = f"{NAME}.share"


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
    with_ros = (f"{NAME}.nodes.", f"{NAME}.cockpit.")
    packages = [name for name in packages if not f"{name}.".startswith(with_ros)]
    for folder in ("assets", "config"):
        packages.append(f"{IN_WHEEL}.{folder}")
        package_dir[packages[-1]] = folder
        package_data[packages[-1]] = files_below(folder)
else:
    programs += [
        f"driver_node = {NAME}.nodes.programs:driver_node",
        f"face_node = {NAME}.nodes.programs:face_node",
        f"behavior_node = {NAME}.nodes.programs:behavior_node",
        f"vision_node = {NAME}.nodes.programs:vision_node",
        f"manipulation_node = {NAME}.nodes.programs:manipulation_node",
        f"cockpit_node = {NAME}.nodes.programs:cockpit_node",
        f"bringup = {NAME}.nodes.programs:bringup",
        f"drive = {NAME}.nodes.programs:drive",
        f"nav2_guard = {NAME}.nodes.programs:nav2_guard",
    ]

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
        "mcp": ["mcp>=2.3,<3", "pydantic", "uvicorn"],
        "plot": ["matplotlib"],
        "sound": ["soundfile", "soxr>=1.1"],
        # colcon runs pytest for a package that names it here.
        "test": ["hypothesis", "psutil", "pytest"],
    },
    zip_safe=False,
    maintainer="the cozmo_driver authors",
    maintainer_email="cozmo-driver@example.invalid",
    description="ROS 2 driver for the robot Cozmo",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    entry_points={"console_scripts": programs},
)

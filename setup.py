"""Install cozmo_driver as an ament_python package."""

from __future__ import annotations

from pathlib import Path

from setuptools import find_packages, setup

NAME = "cozmo_driver"
HERE = Path(__file__).resolve().parent


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
    """Files beside the package's modules that are no Python source: tables, pictures."""
    folder = HERE.joinpath(*package.split("."))
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_file() and not path.name.endswith((".py", ".pyc"))
    )


packages = find_packages(include=[NAME, f"{NAME}.*"])

setup(
    name=NAME,
    version="0.1.0",
    packages=packages,
    package_data={package: data_of(package) for package in packages},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *installed_tree("launch"),
        *installed_tree("config"),
        *installed_tree("assets"),
    ],
    python_requires=">=3.10",
    install_requires=["flatbuffers", "numpy", "Pillow", "PyYAML"],
    extras_require={"sound": ["soundfile", "soxr>=1.1"]},
    zip_safe=False,
    maintainer="the cozmo_driver authors",
    maintainer_email="cozmo-driver@example.invalid",
    description="ROS 2 driver for the robot Cozmo",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            f"driver_node = {NAME}.nodes.driver_node:main",
            f"face_node = {NAME}.nodes.face_node:main",
            f"cozmo = {NAME}.cli.main:main",
            f"bringup = {NAME}.nodes.bringup:main",
            f"drive = {NAME}.nodes.drive:main",
        ],
    },
)

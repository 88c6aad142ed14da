"""Install the stand-in for robot_state_publisher."""

from __future__ import annotations

from setuptools import setup

NAME = "robot_state_publisher"

setup(
    name=NAME,
    version="0.1.0",
    packages=[NAME],
    zip_safe=False,
    maintainer="the cozmo_driver authors",
    maintainer_email="cozmo-driver@example.invalid",
    description="Stand-in for robot_state_publisher on machines without ROS 2",
    license="Apache-2.0",
    entry_points={"console_scripts": [f"{NAME} = {NAME}.node:main"]},
)

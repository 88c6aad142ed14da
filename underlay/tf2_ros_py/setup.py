"""Install the stand-in for tf2_ros_py."""

from __future__ import annotations

from setuptools import setup

NAME = "tf2_ros_py"

setup(
    name=NAME,
    version="0.1.0",
    packages=["tf2_ros"],
    zip_safe=False,
    maintainer="the cozmo_driver authors",
    maintainer_email="cozmo-driver@example.invalid",
    description="Stand-in for tf2_ros_py on machines without ROS 2",
    license="Apache-2.0",
)

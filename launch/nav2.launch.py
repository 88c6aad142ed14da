"""Let a running robot navigate in a map with Nav2."""

from __future__ import annotations

import math
from collections.abc import Mapping

from launch import LaunchDescription

from cozmo_driver.bringup import launching, navigation
from cozmo_driver.bringup.launching import argument, choice
from cozmo_driver.bringup.processes import Process
from cozmo_driver.bringup.rviz import rviz
from cozmo_driver.driver import AFTER_PICKUP, HOLD, HOLD_UNTIL_LOCALIZED
from cozmo_driver.ros.errors import StartError

_AUTO = "auto"

ARGUMENTS = (
    argument("namespace", "", "namespace of the robot"),
    argument(
        "map", "", "map to navigate in (YAML file); empty: config/maps/room.yaml of the package"
    ),
    argument(
        "params_file",
        "",
        "parameters of Nav2, for any namespace; empty: config/nav2_params.yaml of the package",
    ),
    argument("x", "0.0", "where origin_link was in the map when the driver started, in m"),
    argument("y", "0.0", "where origin_link was in the map when the driver started, in m"),
    argument("yaw", "0.0", "heading of the robot in the map when the driver started, in rad"),
    choice(
        "map_to_odom",
        "static",
        "who publishes map to odom: static, as x, y and yaw say; none, as something else does",
        ("static", "none"),
    ),
    choice(
        "localization",
        "false",
        "the vision node localizes (cozmo.launch.py localization:=true): map_to_odom:=none, "
        "and after a pick-up goals are taken once it knows where it is",
    ),
    choice(
        "after_pickup",
        _AUTO,
        "what a robot that was carried does, its goals having ended; continue: drive on with them; "
        "auto: hold, with localization hold_until_localized",
        (_AUTO, *AFTER_PICKUP),
    ),
    choice("autostart", "true", "make the servers active at once"),
    choice("use_sim_time", "false", "take the time from the topic /clock"),
    argument("frame_prefix", "", "as given to the driver, e.g. cozmo1/"),
    choice("scan", "false", "avoid what the vision node sees on a plain floor (its topic scan)"),
    choice("rviz", "false", "start RViz with robot, map, costmaps and paths"),
)


def plan(chosen: Mapping[str, str]) -> list[Process]:
    """Return what is to be started. Raises ``StartError``."""
    try:
        x, y, yaw = start = tuple(float(chosen[name]) for name in ("x", "y", "yaw"))
        if not all(map(math.isfinite, start)):
            raise ValueError(f"one of {start} is not finite")
    except ValueError as error:
        raise StartError(f"x, y and yaw are numbers: {error}") from None
    localizes = chosen["localization"] == "true"
    after_pickup = chosen["after_pickup"]
    if after_pickup == _AUTO:
        after_pickup = HOLD_UNTIL_LOCALIZED if localizes else HOLD
    options = navigation.Options(
        map_file=chosen["map"],
        params_file=chosen["params_file"],
        namespace=chosen["namespace"],
        frame_prefix=chosen["frame_prefix"],
        use_sim_time=chosen["use_sim_time"] == "true",
        is_started=chosen["autostart"] == "true",
        start=(x, y, yaw),
        has_scan=chosen["scan"] == "true",
        is_map_tied=chosen["map_to_odom"] == "static" and not localizes,
        after_pickup=after_pickup,
    )
    planned = navigation.processes(options)
    if chosen["rviz"] == "true":
        planned.append(
            rviz(
                options.namespace,
                options.frame_prefix,
                use_sim_time=options.use_sim_time,
                navigates=True,
                localizes=localizes,
            )
        )
    return planned


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` asks for."""
    return launching.description(ARGUMENTS, plan)

"""Which programs of Nav2 let the robot navigate in a map."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .processes import PACKAGE, Process, existing, shared_file

_BASE = "base_footprint"
_MAP = "map"

# Package, executable and the node in it; what they need of others is found in any order.
_SERVERS = (
    ("nav2_map_server", "map_server"),
    ("nav2_planner", "planner_server"),
    ("nav2_smoother", "smoother_server"),
    ("nav2_controller", "controller_server"),
    ("nav2_behaviors", "behavior_server"),
    ("nav2_bt_navigator", "bt_navigator"),
    ("nav2_waypoint_follower", "waypoint_follower"),
    ("nav2_velocity_smoother", "velocity_smoother"),
    ("opennav_docking", "docking_server"),
)
# Who drives is heard by the smoother, and the smoother by the driver.
_DRIVERS = frozenset({"controller_server", "behavior_server", "docking_server"})
_EXECUTABLES = {"docking_server": "opennav_docking"}


@dataclass(frozen=True, slots=True)
class Options:
    """What is chosen. ``start`` is where the odometry's origin is in the map: m, m, rad."""

    map_file: str = ""
    """Empty: the package's map of its world ``room``."""
    params_file: str = ""
    """Empty: the package's own."""
    namespace: str = ""
    frame_prefix: str = ""
    use_sim_time: bool = False
    is_started: bool = True
    """Make the servers active at once."""
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)


def processes(options: Options) -> list[Process]:
    """Return the programs. Raises ``StartError`` for a file that is missing."""
    parameters = existing(
        options.params_file or shared_file(PACKAGE, "config/nav2_params.yaml"),
        "Nav2's parameter file",
    )
    map_file = existing(
        options.map_file or shared_file(PACKAGE, "config/maps/room.yaml"), "the map"
    )
    servers = [
        Process(
            node,
            package,
            _EXECUTABLES.get(node, node),
            namespace=options.namespace,
            node_name=node,
            parameter_files=(parameters,),
            parameters=_parameters(node, map_file, options),
            remappings=_remappings(node),
            has_substitutions=True,
        )
        for package, node in _SERVERS
    ]
    nodes = [node for _, node in _SERVERS]
    return [_origin(options), *servers, _lifecycle_manager(nodes, options)]


def _parameters(node: str, map_file: str, options: Options) -> dict[str, Any]:
    chosen: dict[str, Any] = {"use_sim_time": options.use_sim_time}
    if node == "map_server":
        chosen["yaml_filename"] = map_file
    return chosen | _frames(node, options.frame_prefix)


def _frames(node: str, prefix: str) -> dict[str, str]:
    """Return the frames that have a prefix; the map has none, several robots share it."""
    if not prefix:
        return {}
    base, odom = f"{prefix}{_BASE}", f"{prefix}odom"
    match node:
        case "bt_navigator" | "planner_server":
            return {"robot_base_frame": base}
        case "behavior_server":
            return {"robot_base_frame": base, "local_frame": odom}
        case "controller_server":
            # Reaches its costmap, which is a node of the same program.
            return {"robot_base_frame": base, "global_frame": odom}
        case "docking_server":
            return {"base_frame": base, "fixed_frame": odom}
    return {}


def _remappings(node: str) -> tuple[tuple[str, str], ...]:
    if node in _DRIVERS:
        return (("cmd_vel", "cmd_vel_nav"),)
    if node == "velocity_smoother":
        return (("cmd_vel", "cmd_vel_nav"), ("cmd_vel_smoothed", "cmd_vel"))
    return ()


def _origin(options: Options) -> Process:
    """Return what ties the odometry to the map: nothing on the robot finds its place in a map."""
    x, y, yaw = options.start
    words = ("--x", f"{x:g}", "--y", f"{y:g}", "--yaw", f"{math.remainder(yaw, math.tau):g}")
    frames = ("--frame-id", _MAP, "--child-frame-id", f"{options.frame_prefix}odom")
    return Process(
        "map_to_odom",
        "tf2_ros",
        "static_transform_publisher",
        (*words, *frames),
        namespace=options.namespace,
        node_name="map_to_odom",
        parameters={"use_sim_time": options.use_sim_time},
    )


def _lifecycle_manager(nodes: Iterable[str], options: Options) -> Process:
    return Process(
        "lifecycle_manager",
        "nav2_lifecycle_manager",
        "lifecycle_manager",
        namespace=options.namespace,
        node_name="lifecycle_manager_navigation",
        parameters={
            "use_sim_time": options.use_sim_time,
            "autostart": options.is_started,
            "node_names": list(nodes),
        },
    )

"""Which programs of Nav2 let the robot navigate in a map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..driver import CONTINUE, HOLD
from ..ros.errors import StartError
from ..ros.file_urls import shared_file
from .processes import PACKAGE, Process, existing, write_text, write_yaml

_MAP = "map"
_FRAMES = ("odom", "base_footprint", "base_link")

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
)
# Controllers publish to the smoother, and the smoother to the driver.
_DRIVERS = frozenset({"controller_server", "behavior_server"})
_COSTMAPS = frozenset({"controller_server", "planner_server"})
_SCAN_SOURCES = ("scan", "scan_clear")
_THROUGH_POSES = "config/behavior_trees/navigate_through_poses.xml"
_STATUSES = " ".join(
    f'{way}_waypoint_statuses="{{waypoint_statuses}}"' for way in ("input", "output")
)
"""Ports of ``RemovePassedGoals``."""


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
    has_scan: bool = False
    """Let the costmaps use the vision node's scan."""
    is_map_tied: bool = True
    """Publish the transform from the map to the odometry's frame; only one program may."""
    after_pickup: str = HOLD
    """The driver's parameter meanwhile; ``continue`` lets goals go on, too."""


def processes(options: Options) -> list[Process]:
    """Return the programs. Raises ``StartError`` for a file that is missing or makes no sense."""
    parameters = existing(
        options.params_file or shared_file(PACKAGE, "config/nav2_params.yaml"),
        "Nav2's parameter file",
    )
    map_file = existing(
        options.map_file or shared_file(PACKAGE, "config/maps/room.yaml"), "the map"
    )
    written = _written(parameters, map_file, options)
    servers = [
        Process(
            node,
            package,
            node,
            namespace=options.namespace,
            node_name=node,
            parameter_files=(written,),
            remappings=_remappings(node, options.namespace),
            has_substitutions=True,
        )
        for package, node in _SERVERS
    ]
    nodes = [node for _, node in _SERVERS]
    origin = [_origin(options)] if options.is_map_tied else []
    guard = [_guard(options)] if options.after_pickup != CONTINUE else []
    return [*origin, *guard, *servers, _lifecycle_manager(nodes, options)]


def rewritten(content: Mapping[str, Any], map_file: str, options: Options) -> dict[str, Any]:
    """Return a parameter file's content for all nodes of the servers' programs, costmaps included.

    What launch passes as a parameter reaches only the node it names; a costmap is another one.
    A name without a slash means the node in any namespace.
    """
    written: dict[str, Any] = {}
    for name, part in _prefixed(content, options.frame_prefix).items():
        whole = name if str(name).startswith(("/", "*")) else f"/**/{name}"
        written[whole] = _merged(written.get(whole), part)
    if options.has_scan:
        written = _with_scan(written)
    clock = {"use_sim_time": options.use_sim_time}
    for node, parameters in (
        ("/**", clock),
        ("/**/map_server", {**clock, "yaml_filename": map_file}),
    ):
        # Put at the end: the later part wins.
        given = written.pop(node, {}).get("ros__parameters", {})
        written[node] = {"ros__parameters": given | parameters}
    return written


def _prefixed(content: Any, prefix: str, key: str = "") -> Any:
    """Put the prefix before the robot's frames; the map has none, several robots share it."""
    if isinstance(content, Mapping):
        return {name: _prefixed(value, prefix, name) for name, value in content.items()}
    is_frame = key.endswith("frame") and content in _FRAMES
    return f"{prefix}{content}" if is_frame else content


def _merged(first: Any, second: Any) -> Any:
    """Return both, the second where they differ."""
    if not (isinstance(first, Mapping) and isinstance(second, Mapping)):
        return second
    return {**first, **{name: _merged(first.get(name), value) for name, value in second.items()}}


def _with_scan(content: Any) -> Any:
    """Name the sources of the scan in ``observation_sources`` wherever they are described."""
    if not isinstance(content, Mapping):
        return content
    result = {name: _with_scan(value) for name, value in content.items()}
    sources = str(result.get("observation_sources", "")).split()
    if sources:
        more = [one for one in _SCAN_SOURCES if isinstance(result.get(one), Mapping)]
        result["observation_sources"] = " ".join(dict.fromkeys([*sources, *more]))
    return result


def _written(parameters_file: str, map_file: str, options: Options) -> str:
    try:
        text = Path(parameters_file).read_text(encoding="utf-8")
        content = yaml.safe_load(_with_statuses(text))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise StartError(
            f"Nav2's parameter file {parameters_file} cannot be read: {error}"
        ) from error
    if not isinstance(content, dict):
        raise StartError(f"Nav2's parameter file {parameters_file} names no node")
    return str(write_yaml(rewritten(content, map_file, options), ".yaml"))


def _with_statuses(text: str) -> str:
    """Name in a parameter file a tree that keeps the poses' statuses, where Nav2's node does.

    It does from Kilted on; BehaviorTree.CPP refuses a tree with ports that a node does not have.
    """
    own = f"$(find-pkg-share {PACKAGE})/{_THROUGH_POSES}"
    try:
        nodes = Path(shared_file("nav2_behavior_tree", "nav2_tree_nodes.xml"))
        if own not in text or "input_waypoint_statuses" not in nodes.read_text(encoding="utf-8"):
            return text
    except (StartError, OSError):
        return text
    tree = Path(shared_file(PACKAGE, _THROUGH_POSES)).read_text(encoding="utf-8")
    tree = tree.replace("<RemovePassedGoals ", f"<RemovePassedGoals {_STATUSES} ")
    return text.replace(own, str(write_text(tree, ".xml")))


def _remappings(node: str, namespace: str) -> tuple[tuple[str, str], ...]:
    remappings: list[tuple[str, str]] = []
    if node in _DRIVERS:
        remappings.append(("cmd_vel", "cmd_vel_nav"))
    if node in _COSTMAPS:
        # Jazzy looks for a relative topic below the costmap's own namespace.
        remappings += [
            (topic, "/".join(("", namespace.strip("/"), topic)).replace("//", "/"))
            for topic in ("hazards", "scan")
        ]
    if node == "velocity_smoother":
        remappings += [("cmd_vel", "cmd_vel_nav"), ("cmd_vel_smoothed", "cmd_vel")]
    return tuple(remappings)


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


def _guard(options: Options) -> Process:
    """Return what ends goals of a robot that was carried."""
    return Process(
        "nav2_guard",
        PACKAGE,
        "nav2_guard",
        namespace=options.namespace,
        node_name="cozmo_nav2_guard",
        parameters={"after_pickup": options.after_pickup},
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

"""Start driver, face, robot_state_publisher; emulator, personality, eyes, cockpit, RViz."""

from __future__ import annotations

from collections.abc import Mapping

from launch import LaunchDescription

from cozmo_driver.bringup import launching, processes
from cozmo_driver.bringup.launching import argument, choice
from cozmo_driver.bringup.rviz import rviz
from cozmo_driver.ros.errors import StartError

ARGUMENTS = (
    argument("namespace", "", "namespace of every node and topic"),
    argument(
        "robot_address",
        "",
        "IPv4 address of the robot; empty: as in config_file (172.31.1.1)",
    ),
    argument(
        "robot_port",
        "",
        "UDP port of the robot or the emulator; empty: as in config_file (5551)",
    ),
    argument(
        "network_interface",
        "",
        "network adapter all traffic to the robot is bound to, e.g. wlan1; "
        "empty: as in config_file (by route)",
    ),
    choice("simulate", "false", "start the emulator on this computer and drive that"),
    argument(
        "world", "", "world of the emulator: room, maze, table or a file; empty: an endless floor"
    ),
    argument(
        "hardware", "", "real robot that the emulator errs like: 1.0 or 1.5; empty: its own default"
    ),
    argument("wifi", "", "how bad the link to the emulator is: home; empty: a good one"),
    argument(
        "config_file", "", "parameters of the driver; empty: config/cozmo.yaml of the package"
    ),
    choice("use_sim_time", "false", "take the time from the topic /clock"),
    argument("frame_prefix", "", "put before every frame name, e.g. cozmo1/"),
    choice("face", "true", "start the node that draws the face"),
    choice("behavior", "false", "start the personality; it does nothing before behavior/enable"),
    argument(
        "behavior_config",
        "",
        "parameters of the personality; empty: config/behavior.yaml of the package",
    ),
    choice(
        "manipulation",
        "false",
        "start manipulation: charger, cubes, driving around obstacles (go_to_pose with avoid)",
    ),
    choice("vision", "false", "start perception: where cubes, the charger and printed tags are"),
    argument(
        "vision_config",
        "",
        "parameters of perception; empty: config/vision_node.yaml of the package",
    ),
    choice(
        "localization",
        "false",
        "start perception, and know where the robot is on a map by printed tags: map to odom",
    ),
    argument(
        "tag_map",
        "",
        "map of tags, a file of cozmo map; empty: that of the world, or of the action learn_map",
    ),
    choice("cockpit", "false", "start the page to see and drive the robot in a browser"),
    argument(
        "cockpit_address",
        "",
        "HOST or HOST:PORT of the page; empty: as in cockpit_config (127.0.0.1:8080)",
    ),
    argument(
        "cockpit_config",
        "",
        "parameters of the page; empty: config/cockpit.yaml of the package",
    ),
    choice("rviz", "false", "start RViz with the robot"),
)
DEFAULT_PORT = 5551


def plan(chosen: Mapping[str, str]) -> list[processes.Process]:
    """Return what is to be started. Raises ``StartError``."""
    simulate = chosen["simulate"] == "true"
    try:
        port = int(chosen["robot_port"] or 0)
    except ValueError:
        raise StartError(f"robot_port is a number, not '{chosen['robot_port']}'") from None
    if not 0 <= port <= 65535:
        raise StartError(f"robot_port is from 0 to 65535, not {port}")
    if simulate and chosen["robot_address"]:
        raise StartError("simulate starts an emulator on this computer: leave robot_address out")
    for name in ("world", "hardware", "wifi"):
        if chosen[name] and not simulate:
            raise StartError(f"{name} is for the emulator: say simulate:=true")
    localizes = chosen["localization"] == "true"
    options = processes.Options(
        robot_address=processes.EMULATOR_HOST if simulate else chosen["robot_address"],
        robot_port=port or (DEFAULT_PORT if simulate else 0),
        network_interface=chosen["network_interface"],
        namespace=chosen["namespace"],
        config_file=chosen["config_file"],
        behavior_config=chosen["behavior_config"],
        vision_config=chosen["vision_config"],
        cockpit_config=chosen["cockpit_config"],
        use_sim_time=chosen["use_sim_time"] == "true",
        frame_prefix=chosen["frame_prefix"],
        localizes=localizes,
        tag_map=chosen["tag_map"] or processes.tag_map_of(chosen["world"]),
    )
    planned = []
    if simulate:
        planned.append(
            processes.emulator(
                options.robot_port,
                chosen["world"],
                hardware=chosen["hardware"],
                wifi=chosen["wifi"],
                port_option="robot_port:=",
            )
        )
    planned += [processes.own_node("driver", options), processes.robot_state_publisher(options)]
    for name in ("face", "behavior", "manipulation", "vision"):
        if chosen[name] == "true" or (name == "vision" and localizes):
            planned.append(processes.own_node(name, options))
    if chosen["cockpit"] == "true":
        planned.append(
            processes.cockpit(
                options, chosen["cockpit_address"], options.robot_port if simulate else 0
            )
        )
    if chosen["rviz"] == "true":
        planned.append(
            rviz(
                options.namespace,
                options.frame_prefix,
                use_sim_time=options.use_sim_time,
                localizes=localizes,
            )
        )
    return planned


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` asks for."""
    return launching.description(ARGUMENTS, plan)

"""Which programs of Nav2 run with what: ROS itself reads their parameters here."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import rclpy
import yaml
from rclpy.context import Context
from rclpy.node import Node

from cozmo_driver.bringup import navigation, processes
from cozmo_driver.bringup.processes import Process, command_words
from cozmo_driver.bringup.rviz import rviz, rviz_view
from cozmo_driver.perception.world.objects import DOCKED
from cozmo_driver.robot import MAX_WHEEL_SPEED, MAX_YAW_RATE
from cozmo_driver.ros.errors import StartError

CONFIG = Path(__file__).parents[2] / "config"
PARAMETERS = CONFIG / "nav2_params.yaml"


@pytest.fixture
def context() -> Iterator[Context]:
    """Return a ROS context that ends with the test."""
    context = Context()
    rclpy.init(context=context)
    yield context
    context.try_shutdown()


@pytest.fixture
def chosen(tmp_path: Path) -> dict[str, Any]:
    """Return options with files of the source tree and a map."""
    a_map = tmp_path / "map.yaml"
    a_map.write_text("image: map.pgm\n")
    return {"map_file": str(a_map), "params_file": str(PARAMETERS)}


def parameters_of(
    process: Process,
    context: Context,
    folder: Path,
    name: str = "default",
    own: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return what a node of the process is given; ``own`` arguments go before the process's."""
    node = Node(
        name,
        context=context,
        cli_args=[*own, *command_words(process, folder)],
        use_global_arguments=False,
        automatically_declare_parameters_from_overrides=True,
    )
    try:
        found = node.get_parameters_by_prefix("")
        return {name: parameter.value for name, parameter in found.items()}
    finally:
        node.destroy_node()


def by_name(options: navigation.Options) -> dict[str, Process]:
    return {process.name: process for process in navigation.processes(options)}


COSTMAPS = {"controller_server": "local_costmap", "planner_server": "global_costmap"}


def parameters_of_costmap(server: Process, context: Context, folder: Path) -> dict[str, Any]:
    """Return what the costmap in a server's process is given; Nav2 names that node itself."""
    name = COSTMAPS[server.name]
    own = ("--ros-args", "-r", f"__ns:=/{server.namespace}/{name}".replace("//", "/"))
    own += ("-r", f"{name}:__node:={name}")
    return parameters_of(server, context, folder, name, own)


def test_every_node_gets_its_own_part_of_the_file(
    chosen: dict[str, Any], context: Context, tmp_path: Path
) -> None:
    content = yaml.safe_load(PARAMETERS.read_text())
    programs = by_name(navigation.Options(namespace="cozmo1", **chosen))
    given = {f"/**/{name}": parameters_of(p, context, tmp_path) for name, p in programs.items()}
    for server, costmap in COSTMAPS.items():
        parameters = parameters_of_costmap(programs[server], context, tmp_path)
        given[f"/**/{costmap}/{costmap}"] = parameters
    assert set(content) <= set(given)
    for section, parameters in given.items():
        assert parameters["use_sim_time"] is False, section
        for name, value in flat(content.get(section, {}).get("ros__parameters", {})):
            assert parameters[name] == value, (section, name)


def test_the_manager_brings_up_exactly_the_servers(
    chosen: dict[str, Any], context: Context, tmp_path: Path
) -> None:
    programs = by_name(navigation.Options(is_started=False, **chosen))
    manager = parameters_of(programs.pop("lifecycle_manager"), context, tmp_path)
    programs.pop("map_to_odom")
    programs.pop("nav2_guard")
    assert list(manager["node_names"]) == list(programs)
    assert manager["autostart"] is False
    assert (
        by_name(navigation.Options(**chosen))["lifecycle_manager"].parameters["autostart"] is True
    )
    # Whoever localizes publishes map to odom alone.
    assert "map_to_odom" not in by_name(navigation.Options(is_map_tied=False, **chosen))


def test_velocities_reach_the_robot_only_through_the_smoother_and_costmaps_hear_of_obstacles(
    chosen: dict[str, Any],
) -> None:
    programs = by_name(navigation.Options(namespace="one", **chosen))
    for name in ("controller_server", "behavior_server"):
        assert ("cmd_vel", "cmd_vel_nav") in programs[name].remappings
    assert set(programs["velocity_smoother"].remappings) == {
        ("cmd_vel", "cmd_vel_nav"),
        ("cmd_vel_smoothed", "cmd_vel"),
    }
    for topic in ("hazards", "scan"):
        remapping = topic, f"/one/{topic}"
        assert {p.name for p in programs.values() if remapping in p.remappings} == set(COSTMAPS)


def test_a_robot_that_does_not_know_its_place_yet_does_not_end_the_bring_up() -> None:
    """Nav2's 60 s: ``planner_server`` fails to become active, and nobody tries again."""
    content = yaml.safe_load(PARAMETERS.read_text())
    for costmap in COSTMAPS.values():
        values = content[f"/**/{costmap}/{costmap}"]["ros__parameters"]
        assert values["initial_transform_timeout"] >= 3600.0


def test_a_place_on_the_map_that_comes_late_aborts_no_goal() -> None:
    """On a busy computer map to odom came 0.4 to 0.7 s late, each a recovery with 0.1 s."""
    content = yaml.safe_load(PARAMETERS.read_text())
    follow = content["/**/controller_server"]["ros__parameters"]["FollowPath"]
    local = content["/**/local_costmap/local_costmap"]["ros__parameters"]
    assert follow["transform_tolerance"] == local["transform_tolerance"] == 0.5


@pytest.mark.parametrize(
    ("has_scan", "sources"), [(False, "hazards"), (True, "hazards scan scan_clear")]
)
def test_costmaps_use_the_scan_where_it_is_asked_for(has_scan: bool, sources: str) -> None:
    content = yaml.safe_load(PARAMETERS.read_text())
    written = navigation.rewritten(content, "", navigation.Options(has_scan=has_scan))
    for costmap in COSTMAPS.values():
        given = dict(flat(written[f"/**/{costmap}/{costmap}"]["ros__parameters"]))
        assert given["obstacle_layer.observation_sources"] == sources
        assert given["obstacle_layer.scan.data_type"] == "LaserScan"


def test_clear_floor_clears_and_is_no_wall_at_the_end_of_the_scan() -> None:
    """Nav2 puts a valid inf at ``range_max``, some 0.25 m, and marks what is there."""
    content = yaml.safe_load(PARAMETERS.read_text())
    written = navigation.rewritten(content, "", navigation.Options(has_scan=True))
    for costmap in COSTMAPS.values():
        layer = written[f"/**/{costmap}/{costmap}"]["ros__parameters"]["obstacle_layer"]
        sources = [layer[name] for name in layer["observation_sources"].split()]
        scans = [one for one in sources if one["topic"] == "scan"]
        assert any(one["marking"] for one in scans)
        assert any(one["inf_is_valid"] and one["clearing"] for one in scans)
        assert not any(one["inf_is_valid"] and one["marking"] for one in scans)


def test_frames_of_every_node_take_the_prefix_but_the_map_does_not(
    chosen: dict[str, Any], context: Context, tmp_path: Path
) -> None:
    options = navigation.Options(
        namespace="one", frame_prefix="one/", start=(1.0, -2.0, 7.0), use_sim_time=True, **chosen
    )
    programs = by_name(options)
    base, odom = "one/base_footprint", "one/odom"
    local, world = (
        parameters_of_costmap(programs[server], context, tmp_path) for server in COSTMAPS
    )
    assert (local["robot_base_frame"], local["global_frame"]) == (base, odom)
    assert (world["robot_base_frame"], world["global_frame"]) == (base, "map")
    assert local["use_sim_time"] is world["use_sim_time"] is True
    for name, frames in {
        "bt_navigator": {"robot_base_frame": base, "global_frame": "map", "odom_topic": "odom"},
        "behavior_server": {"robot_base_frame": base, "local_frame": odom, "global_frame": "map"},
        "map_server": {"frame_id": "map", "yaml_filename": chosen["map_file"]},
    }.items():
        given = parameters_of(programs[name], context, tmp_path)
        assert {key: given[key] for key in frames} == frames, name
    words = programs["map_to_odom"].arguments
    values = dict(zip(words[::2], words[1::2], strict=True))
    assert (values["--frame-id"], values["--child-frame-id"]) == ("map", odom)
    assert (float(values["--x"]), float(values["--y"])) == (1.0, -2.0)
    assert float(values["--yaw"]) == pytest.approx(7.0 - 2 * math.pi, abs=1e-5)


@pytest.mark.parametrize("namespace", ["", "one"])
def test_a_file_in_the_style_of_nav2s_own_is_taken(
    tmp_path: Path, context: Context, namespace: str
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "map_server: {ros__parameters: {yaml_filename: '', use_sim_time: false}}\n"
        "local_costmap: {local_costmap: {ros__parameters: {global_frame: odom}}}\n"
        "/**/controller_server: {ros__parameters: {odom_topic: odom, goal: {tolerance: 0.1}}}\n"
        "controller_server: {ros__parameters: {goal: {stateful: true}}}\n"
    )
    content = yaml.safe_load(file.read_text())
    options = navigation.Options(frame_prefix="one/", use_sim_time=True)
    file.write_text(
        yaml.safe_dump(navigation.rewritten(content, "room.yaml", options), sort_keys=False)
    )

    def program(name: str) -> Process:
        return Process(
            name, "", "", namespace=namespace, node_name=name, parameter_files=(str(file),)
        )

    given = parameters_of(program("map_server"), context, tmp_path)
    assert (given["yaml_filename"], given["use_sim_time"]) == ("room.yaml", True)
    given = parameters_of(program("controller_server"), context, tmp_path)
    expected = {"odom_topic": "odom", "goal.tolerance": 0.1, "goal.stateful": True}
    assert {name: given[name] for name in expected} == expected
    costmap = program("controller_server")
    assert parameters_of_costmap(costmap, context, tmp_path)["global_frame"] == "one/odom"


def flat(content: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in content.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def test_nothing_asks_for_more_than_the_robot_can_do() -> None:
    content = yaml.safe_load(PARAMETERS.read_text())
    of = {key.split("/")[-1]: dict(flat(v["ros__parameters"])) for key, v in content.items()}
    smoother = of["velocity_smoother"]
    assert 0 < smoother["max_velocity"][0] <= MAX_WHEEL_SPEED
    assert 0 < smoother["max_velocity"][2] <= MAX_YAW_RATE
    assert of["controller_server"]["FollowPath.desired_linear_vel"] <= smoother["max_velocity"][0]
    assert of["controller_server"]["controller_frequency"] == 20.0
    stamped = {
        name: v["enable_stamped_cmd_vel"] for name, v in of.items() if "enable_stamped_cmd_vel" in v
    }
    assert set(stamped.values()) == {False}
    assert set(stamped) == {"controller_server", "behavior_server", "velocity_smoother"}
    driver = yaml.safe_load((CONFIG / "cozmo.yaml").read_text())["/**"]["ros__parameters"]
    assert smoother["velocity_timeout"] < driver["cmd_vel_timeout"]
    assert driver["enable_stamped_cmd_vel"] is False


def test_the_docking_server_backs_up_to_the_pose_that_the_vision_node_publishes() -> None:
    content = yaml.safe_load((CONFIG / "docking_server.yaml").read_text())
    of = dict(flat(content["/**/docking_server"]["ros__parameters"]))
    shifts = {name: value for name, value in of.items() if ".external_detection_" in name}
    assert shifts.pop("charger.external_detection_timeout") > of["dock_approach_timeout"]
    assert len(shifts) == 5
    assert set(shifts.values()) == {0.0}
    assert of["base_frame"] == "base_footprint"
    assert of["dock_backwards"] is True
    assert math.isclose(of["charger.staging_yaw_offset"], math.pi, abs_tol=1e-5)
    # Its front is clear of the charger when it turns before it.
    assert of["charger.staging_x_offset"] < -(DOCKED[0, 3] + 0.054)
    assert of["controller.v_linear_max"] <= MAX_WHEEL_SPEED
    assert of["enable_stamped_cmd_vel"] is False


def test_the_footprint_is_the_robots() -> None:
    content = yaml.safe_load(PARAMETERS.read_text())
    for costmap in COSTMAPS.values():
        values = content[f"/**/{costmap}/{costmap}"]["ros__parameters"]
        corners = yaml.safe_load(values["footprint"])
        xs, ys = zip(*corners, strict=True)
        # spec 13 §7: front of the lift and backpack, ahead of and behind the front axle, which is
        # 20 mm ahead of base_footprint.
        assert (max(xs), min(xs), max(ys), min(ys)) == (0.054, -0.038, 0.030, -0.030)
        # The robot turns within the inflated zone only when that reaches its farthest corner.
        assert values["inflation_layer"]["inflation_radius"] >= max(math.hypot(*c) for c in corners)


def test_ids_in_the_trees_are_plugins_of_the_servers_and_no_tree_backs_up() -> None:
    content = yaml.safe_load(PARAMETERS.read_text())
    controller = content["/**/controller_server"]["ros__parameters"]
    planner = content["/**/planner_server"]["ros__parameters"]
    behaviors = content["/**/behavior_server"]["ros__parameters"]["behavior_plugins"]
    for name in ("navigate_to_pose", "navigate_through_poses"):
        file = CONFIG / "behavior_trees" / f"{name}.xml"
        used = f"$(find-pkg-share cozmo_driver)/config/behavior_trees/{file.name}"
        assert used in PARAMETERS.read_text()
        tags = {element.tag for element in ElementTree.parse(file).getroot().iter()}
        assert "FollowPath" in tags
        assert "BackUp" not in tags
        for element in ElementTree.parse(file).getroot().iter():
            if element.tag == "FollowPath":
                assert element.get("controller_id") in controller["controller_plugins"]
                assert element.get("goal_checker_id") in controller["goal_checker_plugins"]
                assert element.get("error_code_id") == "{follow_path_error_code}"
            if element.tag.startswith("ComputePath"):
                assert element.get("planner_id") in planner["planner_plugins"]
                assert element.get("error_code_id") == "{compute_path_error_code}"
            if element.tag in {"Spin", "Wait"}:
                assert element.tag.lower() in behaviors


@pytest.mark.parametrize("has_statuses", [False, True])
def test_the_statuses_of_poses_are_kept_where_nav2_has_them(
    chosen: dict[str, Any],
    context: Context,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_statuses: bool,
) -> None:
    """Jazzy's ``RemovePassedGoals`` has no such ports, and refuses a tree that gives them."""
    ports = ["radius", *(["input_waypoint_statuses"] if has_statuses else [])]
    index = tmp_path / "share/ament_index/resource_index/packages"
    share = tmp_path / "share/nav2_behavior_tree"
    for folder in (index, share):
        folder.mkdir(parents=True)
    (index / share.name).touch()
    (share / "nav2_tree_nodes.xml").write_text(
        "".join(f'<input_port name="{port}">its meaning</input_port>' for port in ports)
    )
    prefixes = (str(tmp_path), os.environ["AMENT_PREFIX_PATH"])
    monkeypatch.setenv("AMENT_PREFIX_PATH", os.pathsep.join(prefixes))
    navigator = by_name(navigation.Options(**chosen))["bt_navigator"]
    given = parameters_of(navigator, context, tmp_path)
    assert given["default_nav_to_pose_bt_xml"].startswith("$(find-pkg-share cozmo_driver)/")
    file = given["default_nav_through_poses_bt_xml"].replace(
        "$(find-pkg-share cozmo_driver)", str(CONFIG.parent)
    )
    own = ElementTree.parse(CONFIG / "behavior_trees" / "navigate_through_poses.xml").getroot()
    tree = ElementTree.parse(file).getroot()
    [passed] = tree.iter("RemovePassedGoals")
    statuses = [passed.attrib.pop(f"{way}_waypoint_statuses", "") for way in ("input", "output")]
    assert statuses == ["{waypoint_statuses}" if has_statuses else ""] * 2
    assert ElementTree.tostring(tree) == ElementTree.tostring(own)


def test_a_pose_on_the_way_is_passed_where_the_controller_cuts_its_corner() -> None:
    """By 52 to 55 mm, looking 120 mm ahead: with a smaller radius it turns back for ever."""
    content = yaml.safe_load(PARAMETERS.read_text())
    follow = content["/**/controller_server"]["ros__parameters"]["FollowPath"]
    tree = ElementTree.parse(CONFIG / "behavior_trees" / "navigate_through_poses.xml")
    [passed] = tree.getroot().iter("RemovePassedGoals")
    assert float(passed.get("radius", 0)) > follow["max_lookahead_dist"] / 2 > 0.055


def test_the_joystick_file_reaches_both_nodes(context: Context, tmp_path: Path) -> None:
    joy, twist = processes.joystick("cozmo1", 2, str(CONFIG / "teleop_joy.yaml"))
    given = parameters_of(joy, context, tmp_path, "joy_node")
    assert given["device_id"] == 2
    assert given["autorepeat_rate"] == 10.0
    given = parameters_of(twist, context, tmp_path, "teleop_twist_joy_node")
    assert given["enable_button"] == 4
    assert given["scale_linear_turbo.x"] <= MAX_WHEEL_SPEED
    assert given["scale_angular_turbo.yaw"] <= MAX_YAW_RATE


def test_the_keys_run_in_their_terminal_at_their_speeds() -> None:
    process = processes.keyboard("one", "env", speed=0.1, turn=1.0)
    assert (process.prefix, process.namespace) == ("env", "one")
    assert process.arguments == ("--keys", "--linear", "0.1", "--angular", "1")


def test_goals_end_when_the_robot_is_carried_unless_they_are_to_go_on(
    chosen: dict[str, Any], context: Context, tmp_path: Path
) -> None:
    guard = by_name(navigation.Options(namespace="one", **chosen))["nav2_guard"]
    assert guard.namespace == "one"
    assert parameters_of(guard, context, tmp_path)["after_pickup"] == "hold"
    going_on = navigation.Options(after_pickup="continue", **chosen)
    assert "nav2_guard" not in by_name(going_on)


# -- the view that RViz is given: frames with a prefix, and what Nav2 publishes


FILE = Path(__file__).parents[2] / "cozmo_description" / "rviz" / "cozmo.rviz"


@pytest.fixture
def view() -> Any:
    return yaml.safe_load(FILE.read_text())


def frames(view: Any) -> tuple[str, str, str]:
    """Return the fixed frame, the prefix of the model and the frame that is looked at."""
    manager = view["Visualization Manager"]
    model = next(display for display in manager["Displays"] if "TF Prefix" in display)
    fixed = manager["Global Options"]["Fixed Frame"]
    return fixed, model["TF Prefix"], manager["Views"]["Current"]["Target Frame"]


def shows(view: Any, group: str) -> bool:
    displays = view["Visualization Manager"]["Displays"]
    return bool(next(display["Enabled"] for display in displays if display["Name"] == group))


def test_every_frame_of_the_robot_gets_the_prefix(view: Any) -> None:
    shown = rviz_view(view, "one/")
    assert frames(shown) == ("one/odom", "one", "one/base_footprint")
    assert not shows(shown, "Navigation")
    assert not shows(shown, "Localization")
    assert rviz_view(view, "") == view
    # With Nav2 the map holds still, which has no prefix.
    shown = rviz_view(view, "one/", navigates=True)
    assert frames(shown) == ("map", "one", "one/base_footprint")
    assert shows(shown, "Navigation")
    assert not shows(shown, "Localization")
    shown = rviz_view(view, "", localizes=True)
    assert frames(shown)[0] == "map"
    assert shows(shown, "Localization")
    assert not shows(shown, "Navigation")
    with pytest.raises(StartError, match="'one_': let frame_prefix end in /"):
        rviz_view(view, "one_")


def test_rviz_reads_what_was_filled_in() -> None:
    process = rviz("one", "one/", use_sim_time=True)
    option, file = process.arguments
    try:
        assert option == "-d"
        assert frames(yaml.safe_load(Path(file).read_text()))[0] == "one/odom"
    finally:
        Path(file).unlink()
    assert (process.namespace, process.parameters) == ("one", {"use_sim_time": True})
